#!/usr/bin/env node
import { dropUnread } from '../../cli/terminal.js';
import { runCommand } from './run.js';

dropUnread(process);
runCommand(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
});
