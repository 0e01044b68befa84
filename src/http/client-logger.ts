import { type Logger, leveledLogger } from '../utils/logger.js';
import type { ClientConfig } from './client-config.js';

/** The client's logger at the client's level. Its lines never hold the client's key. */
export const clientLogger = ({ logger, logLevel, redactor }: ClientConfig): Logger =>
  leveledLogger(logger, logLevel, redactor);
