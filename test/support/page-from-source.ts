import { bundlePage } from './bundle-page.js';

/** `#sandbox-page` where the package was not built: in tests, and where the sandbox is started from source. */
export const { script, style } = await bundlePage();
