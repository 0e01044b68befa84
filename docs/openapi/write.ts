/** Writes docs/openapi.json from the contract: `npm run openapi`. `npm test` checks that the file is current. */
import { writeFileSync } from 'node:fs';
import { openApiText } from './document.js';

writeFileSync(new URL('../openapi.json', import.meta.url), openApiText());
