import type { WebhookEvent } from '../../contract/events.js';

/**
 * The key of an event in a de-duplication store: its name and its reference, such as `transaction.completed:TXN-1`.
 *
 * Two different events never have the same key, because a colon inside either part is escaped. Control characters and lone
 * surrogates are escaped as well: PostgreSQL refuses the former, and UTF-8 makes all of the latter equal.
 */
export const eventKey = ({ event, data }: WebhookEvent): string =>
  `${escaped(event)}:${escaped(data.reference)}`;

/** Replaces each special character by `%` and the four hex digits of its code. */
const escaped = (text: string): string =>
  text.replace(
    /[%:\p{Cc}\p{Cs}]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
