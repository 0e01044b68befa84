import { readProperty } from './read-property.js';

/** Whether an error carries one of these codes of a system, such as `ENOENT`. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => {
  const code = readProperty(error, 'code');
  return codes.some((one) => one === code);
};
