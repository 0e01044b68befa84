import type { TriggerEffect } from '../service/responses.js';

/** Recipients with a special effect; every other recipient works normally. */

/** How long the slow recipient takes, in ms. */
export const slowMs = 3000;

const table = [
  {
    recipient: '08000000001',
    name: 'failed',
    effect: 'settles as failed',
    description: 'Accepted; settles as failed, and the wallet is refunded.',
  },
  {
    recipient: '08000000002',
    name: 'pending',
    effect: 'stays pending',
    description: 'Accepted; stays pending until it is settled by command.',
  },
  {
    recipient: '08000000003',
    name: 'provider-unavailable',
    effect: 'provider unavailable',
    description: '503 PROVIDER_UNAVAILABLE at every purchase; nothing is charged.',
  },
  {
    recipient: '08000000004',
    name: 'verification-failed',
    effect: 'validation cannot confirm',
    description: '422 VERIFICATION_FAILED at every validate call.',
  },
  {
    recipient: '08000000005',
    name: 'response-lost',
    effect: 'response lost',
    description:
      'Debited, then the connection closes without a response. A repeat of the key gets the original 202.',
  },
  {
    recipient: '08000000006',
    name: 'slow',
    effect: 'slow',
    description:
      'The response takes 3 seconds. Meanwhile a repeat of the key gets 409, afterwards the original 202.',
  },
  {
    recipient: '08000000007',
    name: 'server-error',
    effect: 'error after the debit',
    description: 'Debited, then 500 GATEWAY_ERROR. A repeat of the key gets the original 202.',
  },
  {
    recipient: '08000000008',
    name: 'proxy-page',
    effect: 'proxy page',
    description: "Debited, then a proxy's 502 page in HTML. A repeat of the key gets the original 202.",
  },
  {
    recipient: '08000000009',
    name: 'queue-unavailable',
    effect: 'queue unavailable',
    description: '503 QUEUE_UNAVAILABLE at every purchase; nothing is charged.',
  },
] as const satisfies readonly (Omit<Trigger, 'name'> & { readonly name: string })[];

/** The names of the triggers, for the command line. */
export type TriggerName = (typeof table)[number]['name'];

/** One row of the trigger table. */
export interface Trigger {
  /** A short name, such as `failed`. */
  readonly name: TriggerName;
  /** Used in place of a phone, smartcard, meter or profile number. */
  readonly recipient: string;
  /** What happens, in a word. */
  readonly effect: TriggerEffect;
  /** What happens, in a sentence. */
  readonly description: string;
}

/**
 * All trigger recipients: the same ones for every product.
 *
 * @example
 * ```ts
 * for (const { recipient, description } of triggers) console.log(recipient, description);
 * ```
 */
export const triggers: readonly Trigger[] = table;

const effects = new Map(triggers.map(({ recipient, effect }) => [recipient, effect]));

/** The trigger of a recipient; undefined for all except the listed ones. */
export const triggerOf = (recipient: string): TriggerEffect | undefined => effects.get(recipient);
