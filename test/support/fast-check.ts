import fc from '../../node_modules/fast-check/lib/fast-check.js';
import { givenSeed } from './seed.js';

/** fast-check as the tests import it (vitest.config.ts): every property has the same runs on each push, and others each night. */
if (givenSeed !== undefined) fc.configureGlobal({ seed: givenSeed });

// biome-ignore lint/style/noDefaultExport: that is how the tests import fast-check.
export default fc;
