import { startCommand } from '../cli/command.js';
import { runCommand } from './run.js';

startCommand(runCommand);
