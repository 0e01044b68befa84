import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A file from which a later call continues; without a name, nothing is kept. */
export interface CheckpointFile {
  read(): string | undefined;
  write(text: string): void;
  /** Called when there is nothing to continue. */
  remove(): void;
}

/** Each text replaces the one before it as a whole, so that a process that ends in the middle leaves one or the other. */
export function checkpointFile(path: string | undefined): CheckpointFile {
  if (path === undefined) return { read: () => undefined, write: () => {}, remove: () => {} };
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    write(text) {
      const fresh = `${path}.new`;
      // Removed and never opened: in a shared folder it may be a link to a file of somebody else.
      rmSync(fresh, { force: true });
      writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
      renameSync(fresh, path);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
