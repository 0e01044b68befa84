/** Hides the middle of a caller's identifier: `0803****567`. */
export function mask(recipient: string): string {
  return recipient.length < 8
    ? '*'.repeat(recipient.length)
    : `${recipient.slice(0, 4)}${'*'.repeat(recipient.length - 7)}${recipient.slice(-3)}`;
}
