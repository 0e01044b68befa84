import { buildPage } from './build.js';

/**
 * The page's script and style. From source they are bundled here, when the page is first opened; the build of the package replaces
 * this module by one that contains them (tsup.config.ts).
 */
export const { script, style } = buildPage();
