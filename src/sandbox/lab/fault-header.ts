import { ConfigurationError } from '../../errors/configuration-error.js';
import { checkFault, type FaultOptions } from './fault-options.js';

/** A fault for one request, in its own headers: tests that run in parallel do not meet each other's faults. */
export const faultHeader = 'x-sandbox-fault';

/** The fault that a header describes, or the problem with it. */
export type HeaderFault =
  | { readonly fault: FaultOptions; readonly problem?: undefined }
  | { readonly fault?: undefined; readonly problem: string };

const example = 'it must be a JSON object such as {"status":503,"code":"QUEUE_UNAVAILABLE"}';

/** Reads the header; undefined without one. */
export function faultOfHeader(value: string | undefined): HeaderFault | undefined {
  if (value === undefined) return undefined;
  let given: unknown;
  try {
    given = JSON.parse(value);
  } catch {
    return { problem: example };
  }
  try {
    return { fault: checkFault(given) };
  } catch (error) {
    if (error instanceof ConfigurationError) return { problem: error.message };
    throw error;
  }
}
