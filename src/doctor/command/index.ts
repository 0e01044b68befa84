#!/usr/bin/env node
import { runCommand } from './run.js';

runCommand(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
});
