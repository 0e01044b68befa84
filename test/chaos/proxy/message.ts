const blankLine = '\r\n\r\n';

/** How long the HTTP/1.1 message at the start of `bytes` is, in bytes; undefined until all of it has come. */
export function messageLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(blankLine);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = end + blankLine.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length >= length ? length : undefined;
}
