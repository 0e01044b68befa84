import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { version } from '../src/version.js';

it('the version that the client sends is the one of package.json', () => {
  expect(version).toBe(manifest.version);
});
