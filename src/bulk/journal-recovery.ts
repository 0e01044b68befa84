import type { FileHandle } from 'node:fs/promises';
import { JournalCorruptError } from './errors.js';
import { decodeLine, isTornLine, type JournalLine } from './journal-format.js';

const chunkBytes = 64 * 1024;
const lineFeed = 10;

/** A piece of a file between two line feeds. */
interface Piece {
  readonly text: string;
  /** Where it ends in the file, its line feed included. */
  readonly end: number;
  /** False for what stands behind the last line feed. */
  readonly isWhole: boolean;
}

/** Splits the first `size` bytes at line feeds and nowhere else: keys and references may hold any other separator. */
async function* piecesOf(file: FileHandle, size: number, path: string): AsyncGenerator<Piece> {
  let pending: Buffer[] = [];
  let position = 0;
  let line = 1;
  while (position < size) {
    const chunk = Buffer.alloc(Math.min(chunkBytes, size - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    const bytes = chunk.subarray(0, bytesRead);
    let start = 0;
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, start)) {
      pending.push(bytes.subarray(start, at));
      yield { text: Buffer.concat(pending).toString('utf8'), end: position + at + 1, isWhole: true };
      pending = [];
      start = at + 1;
      line++;
    }
    if (start < bytes.length) pending.push(bytes.subarray(start));
    position += bytesRead;
    // Another program's file without line feeds may be larger than the memory.
    const beginning = pending[0]?.subarray(0, 100).toString('latin1');
    if (beginning !== undefined && !isTornLine(beginning)) throw new JournalCorruptError(path, line);
  }
  if (pending.length > 0) {
    yield { text: Buffer.concat(pending).toString('utf8'), end: position, isWhole: false };
  }
}

/** The lines in the first `size` bytes of a journal that has been recovered. */
export async function* readLines(file: FileHandle, size: number, path: string): AsyncGenerator<JournalLine> {
  let number = 0;
  for await (const { text } of piecesOf(file, size, path)) {
    number++;
    const line = decodeLine(text);
    if (!line) throw new JournalCorruptError(path, number);
    yield line;
  }
}

/**
 * Reads a journal from its beginning, and cuts off a last line that a crash tore: nothing was sent because of it, or it is asked again. A
 * file that holds anything else is left as it is.
 *
 * @returns the size of what is whole, in bytes.
 * @throws `JournalCorruptError` with the number of the line that is not a journal's.
 */
export async function recover(
  file: FileHandle,
  path: string,
  apply: (line: JournalLine) => void,
): Promise<number> {
  const { size } = await file.stat();
  let number = 0;
  let whole = 0;
  for await (const { text, end, isWhole } of piecesOf(file, size, path)) {
    number++;
    if (!isWhole) break;
    const line = decodeLine(text);
    if (!line) throw new JournalCorruptError(path, number);
    apply(line);
    whole = end;
  }
  if (whole < size) {
    await file.truncate(whole);
    await file.datasync();
  }
  return whole;
}
