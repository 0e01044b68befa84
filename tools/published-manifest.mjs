// What is published of package.json: everything but what only developers of the package need. npm runs this before it packs (prepack) and
// after it has (postpack): node tools/published-manifest.mjs write | restore
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const manifest = new URL('../package.json', import.meta.url);
const whole = new URL('../package.json.whole', import.meta.url);

if (process.argv[2] === 'write') {
  const text = readFileSync(manifest, 'utf8');
  const { scripts, devDependencies, allowScripts, overrides, ...published } = JSON.parse(text);
  // Another pack may be under way. The whole file must not be lost.
  if (scripts) writeFileSync(whole, text);
  writeFileSync(manifest, `${JSON.stringify(published, undefined, 2)}\n`);
} else if (existsSync(whole)) {
  renameSync(whole, manifest);
}
