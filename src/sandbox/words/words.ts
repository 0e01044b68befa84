import type { Product } from '../../contract/vocabulary.js';
import type { FaultOptions } from '../lab/fault-options.js';

/** How the page, the command and the control API put things into words. */

/** `100,000.00`. Not by Intl, which takes a quarter of the command's start-up time to load. */
export const money = (naira: number): string => naira.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',');

/** What each product family is called. */
export const productNames: Readonly<Record<Product, string>> = {
  airtime: 'Airtime',
  data: 'Data',
  tv: 'TV',
  electricity: 'Electricity',
  edu: 'Education',
};

/** What the words for a fault are made of: its options, as code or the control API has them. */
export type GivenFault = {
  readonly [Name in Exclude<keyof FaultOptions, 'times'>]?: FaultOptions[Name] | undefined;
};

/** What a fault does: `after processing: connection closed`. */
export function faultWords(fault: GivenFault): string {
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
