import { readProperty } from './read-property.js';

/** Whether an error carries a system's code, such as `ENOENT`. */
export const hasCode = (error: unknown, code: string): boolean => readProperty(error, 'code') === code;
