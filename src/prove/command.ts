import { startCommand } from '../cli/command.js';
import { proveCommand } from './run.js';

startCommand(proveCommand(new URL('./shop-process.js', import.meta.url)));
