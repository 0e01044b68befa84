import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './pages.js';
import { sections, withSection } from './tables.js';

/** Writes the generated tables into the guides: `npm run docs:tables`. */
for (const [page, name, content] of sections) {
  const path = root + page;
  writeFileSync(path, withSection(readFileSync(path, 'utf8'), name, content()));
}
