import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Loads the first of these modules that the application in a folder has installed; undefined where it has none. */
export async function loadInstalled(
  folder: string,
  names: readonly string[],
): Promise<{ readonly name: string; readonly module: unknown } | undefined> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  for (const name of names) {
    let file: string;
    try {
      file = resolve(name);
    } catch {
      continue;
    }
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    return { name, module: module.default ?? module };
  }
  return undefined;
}
