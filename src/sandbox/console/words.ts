import type { Product } from '../../contract/vocabulary.js';
import type { FaultOptions } from '../service/fault-options.js';
import type { ActiveFault } from '../service/faults.js';

/** How the console and the command put things into words. */

/** `100,000.00`. Not by Intl, which takes a quarter of the command's start-up time to load. */
export const money = (naira: number): string => naira.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',');

/** `2026-01-31 09:30:00`, UTC. */
export const dateTime = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

/** The time of day, with its date where that is not today's; UTC. */
export function timeOfDay(at: Date, now: Date): string {
  const text = dateTime(at);
  return text.slice(0, 10) === dateTime(now).slice(0, 10) ? text.slice(11) : text.slice(5, 16);
}

/** What each product family is called. */
export const productNames: Readonly<Record<Product, string>> = {
  airtime: 'Airtime',
  data: 'Data',
  tv: 'TV',
  electricity: 'Electricity',
  edu: 'Education',
};

/** What a fault does: `after processing: connection closed`. */
export function faultWords(fault: FaultOptions): string {
  const parts: string[] = [];
  if (fault.delay !== undefined) {
    parts.push(`held ${typeof fault.delay === 'number' ? `${fault.delay}ms` : fault.delay}`);
  }
  if (fault.status !== undefined) parts.push([fault.status, fault.code].filter(Boolean).join(' '));
  if (fault.body !== undefined) {
    parts.push(typeof fault.body === 'string' && fault.body.startsWith('<') ? 'HTML page' : 'other body');
  }
  if (fault.retryAfter !== undefined) parts.push(`Retry-After ${fault.retryAfter}`);
  if (fault.headers !== undefined) parts.push('other headers');
  if (fault.cutBody !== undefined) parts.push('body cut off');
  if (fault.connection === 'close') parts.push('connection closed');
  return `${fault.when === 'after' ? 'after processing: ' : ''}${parts.join(', ')}`;
}

/** Which requests a fault meets. */
export function faultTarget({ operation, recipient, clientId }: FaultOptions): string {
  const names = operation === undefined ? [] : [operation].flat();
  const allPurchases = names.length === 5 && names.every((name) => name.endsWith('.purchase'));
  const calls = names.length === 0 ? 'any call' : allPurchases ? 'purchases' : names.join(', ');
  return [calls, recipient && `recipient ${recipient}`, clientId && `client ${clientId}`]
    .filter(Boolean)
    .join(', ');
}

/** How often a fault will still strike. */
export const faultLeft = ({ remaining }: ActiveFault): string =>
  remaining === Number.POSITIVE_INFINITY ? 'until off' : `${remaining} more`;
