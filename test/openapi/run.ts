/**
 * Writes docs/openapi.json from the contract. Run: npm run openapi, or npm run openapi -- --check to compare only.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiText } from './document.js';

const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

if (!process.argv.includes('--check')) {
  writeFileSync(file, openApiText());
} else if (readFileSync(file, 'utf8') !== openApiText()) {
  console.error('docs/openapi.json is not what the contract says: npm run openapi');
  process.exitCode = 1;
}
