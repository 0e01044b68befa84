import { readFileSync, writeFileSync } from 'node:fs';
import { sections, withSection } from '../test/docs/tables.js';
import { openApiText } from './openapi/document.js';
import { guides, llmsText, neighbours, root } from './site/guides.js';

/** Writes everything in docs that is made from the code or from the guides: `npm run generate`. Tests check that it is current. */

for (const [page, name, content] of sections) {
  const path = root + page;
  writeFileSync(path, withSection(readFileSync(path, 'utf8'), name, content()));
}
for (const { slug } of guides) {
  const path = `${root}docs/${slug}.md`;
  const text = readFileSync(path, 'utf8').replace(/\n+(?:Previous|Next): \[[^\n]*\n$/, '\n');
  writeFileSync(path, `${text.trimEnd()}\n\n${neighbours(slug)}\n`);
}
writeFileSync(`${root}docs/llms.txt`, llmsText());
writeFileSync(`${root}docs/openapi.json`, openApiText());
