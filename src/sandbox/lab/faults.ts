import { ConfigurationError } from '../../errors/base.js';
import { codesOf } from '../../errors/error-responses.js';
import type { ActiveFault, FaultOptions } from '../records/objects.js';
import { msOf } from '../schemas/fields.js';
import type { ParsedRequest } from '../service/request.js';
import { bodyText, type HttpResponse } from '../service/responses.js';
import { checkFault } from './fault-options.js';

/** The fault in a request's own header, so that tests that run in parallel do not meet each other's faults; undefined without one. */
export function faultOfHeader(headers: Readonly<Record<string, string>>): FaultOptions | undefined {
  const value = headers['x-sandbox-fault'];
  if (value === undefined) return undefined;
  let given: unknown;
  try {
    given = JSON.parse(value);
  } catch {
    throw new ConfigurationError(
      'fault',
      'must be a JSON object such as {"status":503,"code":"QUEUE_UNAVAILABLE"}',
    );
  }
  return checkFault(given);
}

/** The faults of a sandbox. */
export interface SandboxFaults {
  /** Adds a fault; the oldest that matches a request strikes, one a request. */
  add(fault: FaultOptions): ActiveFault;
  /** Those that can still strike, oldest first. */
  readonly active: readonly ActiveFault[];
  /** Removes all faults. */
  clear(): void;
}

/** The parts of a request that decide whether a fault applies to it. */
type FaultTarget = Pick<ParsedRequest, 'operation' | 'recipient' | 'clientId'>;

/** Whether a fault is meant for a request. */
function matches(fault: FaultOptions, target: FaultTarget): boolean {
  const { operation, recipient, clientId } = fault;
  if (operation !== undefined) {
    const names: readonly string[] = typeof operation === 'string' ? [operation] : operation;
    if (target.operation === undefined || !names.includes(target.operation)) return false;
  }
  return (
    (recipient === undefined || recipient === target.recipient) &&
    (clientId === undefined || clientId === target.clientId)
  );
}

function envelope(fault: FaultOptions, status: number): Record<string, unknown> {
  const wholeSeconds = typeof fault.retryAfter === 'number' && Number.isInteger(fault.retryAfter);
  return {
    status: 'error',
    code: fault.code ?? codesOf(status)[0] ?? 'GATEWAY_ERROR',
    message: fault.message ?? `This fault was configured to respond with ${status}.`,
    ...(wholeSeconds ? { retry_after_seconds: fault.retryAfter } : {}),
  };
}

/** Whether a fault brings a response of its own. */
const hasOwnResponse = (fault: FaultOptions): boolean =>
  fault.status !== undefined || fault.body !== undefined;

/** Whether a fault ends a request before anything is processed. Delays, headers and cuts let it be served. */
export const endsBefore = (fault: FaultOptions): boolean =>
  fault.when !== 'after' && (hasOwnResponse(fault) || fault.connection === 'close');

/** The response with the fault applied; `undefined` is passed where nothing was processed. */
export function faultResponse(fault: FaultOptions, own: HttpResponse | undefined): HttpResponse | undefined {
  if (own === undefined && !hasOwnResponse(fault)) return undefined;
  const status = fault.status ?? own?.status ?? 200;
  const body =
    fault.body ?? (fault.status !== undefined || own === undefined ? envelope(fault, status) : own.body);
  const type =
    typeof body !== 'string' ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
  const headers: Record<string, string> = {
    ...(hasOwnResponse(fault) ? { 'content-type': type } : own?.headers),
    ...(fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }),
  };
  for (const [name, value] of Object.entries(fault.headers ?? {})) headers[name.toLowerCase()] = value;
  return { status, headers, body };
}

/** How many bytes of a response come through, or undefined when it is whole. */
export function bytesLeft(fault: FaultOptions, response: HttpResponse): number | undefined {
  const { cutBody } = fault;
  if (cutBody === undefined || cutBody === false) return undefined;
  const whole = new TextEncoder().encode(bodyText(response)).length;
  return cutBody === true ? Math.floor(whole / 2) : Math.min(cutBody, whole);
}

/** How long a fault delays a request, in ms. */
export const delayOf = (fault: FaultOptions): number => msOf(fault.delay ?? 0);

/** Called when a fault was added, met a request, or was removed. */
type OnFault = (change: 'added' | 'used' | 'removed', fault: ActiveFault) => void;

interface StoredFault extends ActiveFault {
  remaining: number | 'always';
  used: number;
}

/** The faults that can still strike. */
export class Faults implements SandboxFaults {
  readonly #onChange: OnFault;
  #active: readonly StoredFault[] = [];
  #lastId = 0;

  constructor(onChange: OnFault) {
    this.#onChange = onChange;
  }

  get active(): readonly ActiveFault[] {
    return this.#active;
  }

  add(fault: FaultOptions): ActiveFault {
    const options = checkFault(fault);
    this.#lastId += 1;
    const remove = () => this.#remove(stored);
    const stored: StoredFault = { id: this.#lastId, options, remaining: options.times ?? 1, used: 0, remove };
    this.#active = [...this.#active, stored];
    this.#onChange('added', stored);
    return stored;
  }

  clear(): void {
    for (const fault of this.#active) fault.remove();
  }

  /** The fault that strikes a request, which counts as one of its times. */
  take(target: FaultTarget): FaultOptions | undefined {
    const fault = this.#active.find(({ options }) => matches(options, target));
    if (!fault) return undefined;
    if (fault.remaining !== 'always') fault.remaining -= 1;
    fault.used += 1;
    this.#onChange('used', fault);
    if (fault.remaining === 0) this.#remove(fault);
    return fault.options;
  }

  #remove(fault: StoredFault): void {
    if (!this.#active.includes(fault)) return;
    fault.remaining = 0;
    this.#active = this.#active.filter((other) => other !== fault);
    this.#onChange('removed', fault);
  }
}
