#!/usr/bin/env node
import { runCommand } from './run.js';

// Whoever was reading is gone: `billpay reconcile | head -3`.
process.stdout.on('error', () => process.exit(1));

runCommand(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
});
