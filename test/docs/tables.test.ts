import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from './pages.js';
import { sections, withSection } from './tables.js';

it.each(sections)('%s has the table %s as the code makes it (npm run generate)', (page, name, content) => {
  const text = readFileSync(root + page, 'utf8');
  expect(text).toBe(withSection(text, name, content()));
});
