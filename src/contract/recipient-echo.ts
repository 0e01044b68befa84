/** How an echoed recipient relates to the requested one. */
export type RecipientMatch =
  /** The same recipient, shown in full. */
  | 'same'
  /** It may be the same: masked, shortened, absent or unreadable. */
  | 'unknown'
  /** Clearly another recipient. */
  | 'conflict';

/**
 * Compares recipients in all the forms in which the service may echo one: masked (`080****4567`), with a country code, with text
 * or digits before or after it (`METER 45700123456`), only its last digits, or without leading zeros, which a number loses.
 *
 * @param isPhone - whether a Nigerian country code and a leading zero are equivalent.
 */
export function compareRecipients(asked: unknown, echoed: unknown, isPhone: boolean): RecipientMatch {
  // Letters are not compared where the recipient has none: `45700123456 (IKEDC PREPAID)`.
  const keep = isPhone || !/\p{L}/u.test(textOf(asked)) ? digits : compact;
  const wanted = keep(textOf(asked));
  const parts = textOf(echoed).split(maskRun).map(keep);
  if (wanted === '' || parts.every((part) => part === '')) return 'unknown';
  const core = isPhone ? withoutZeros(wanted.slice(-phoneDigits)) : withoutZeros(wanted);
  return parts.length === 1
    ? compareWhole(core, parts[0] ?? '')
    : formsOf(wanted, core, isPhone).some((form) => matchesMask(form, parts))
      ? 'unknown'
      : 'conflict';
}

/** A Nigerian number without its country code or leading zero. */
const phoneDigits = 10;

/** Fewer characters than this do not show that one recipient is part of another. */
const minimumPart = 4;

function compareWhole(core: string, shown: string): RecipientMatch {
  const got = withoutZeros(shown);
  if (core === got) return 'same';
  if (core.length >= minimumPart && got.includes(core)) return 'same';
  return shown.length >= minimumPart && core.endsWith(shown) ? 'unknown' : 'conflict';
}

/** The forms that a recipient may have before it is masked. */
const formsOf = (wanted: string, core: string, isPhone: boolean): readonly string[] =>
  isPhone ? [wanted, core, `0${core}`, `234${core}`] : [wanted, core];

/** Whether a recipient contains the visible parts of a masked one in their order, the first at its start and the last at its end. */
function matchesMask(recipient: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!recipient.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = recipient.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return recipient.length - last.length >= at && recipient.endsWith(last);
}

/** Characters that replace hidden ones. A single dot, dash or x is a separator or a letter. */
const maskRun = /[*•●…]+|#+|[xX]{2,}|\.{2,}|_{2,}|-{2,}/;

/** A number beyond the safe integers has lost digits and is not compared. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : '';

const compact = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
const digits = (text: string): string => text.replace(/\D/g, '');
const withoutZeros = (text: string): string => text.replace(/^0+/, '');
