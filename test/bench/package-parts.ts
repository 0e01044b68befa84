import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A part of the package and its size. */
export interface Part {
  readonly name: string;
  readonly bytes: number;
  /** Its share of the gzipped whole. */
  readonly gzipped: number;
}

/** Libraries by their name, code of ours by its folder. */
function partOf(input: string): string {
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
  if (library) return library;
  const folder = /^src\/([^/]+)\//.exec(input)?.[1];
  return folder ? `src/${folder}` : 'src, the files beside the folders';
}

/** What a consumer's bundle of one purchase consists of: minified, by library and folder, the largest first. */
export async function bundleParts(): Promise<readonly Part[]> {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `import { BillPay } from './src/index.ts';
        await new BillPay().airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });`,
      resolveDir: root,
      sourcefile: 'src/consumer.ts',
    },
    absWorkingDir: root,
    outfile: 'bundle.js',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['node:*', '#hmac'],
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (!file || !output) throw new Error('esbuild wrote nothing');
  const ratio = gzipSync(file.contents).length / file.contents.length;
  const bytes = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
    const part = partOf(input);
    bytes.set(part, (bytes.get(part) ?? 0) + bytesInOutput);
  }
  return [...bytes]
    .filter(([, size]) => size > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, size]) => ({ name, bytes: size, gzipped: size * ratio }));
}

/** Which kind of file a path of the package is, in the order in which they are reported. */
const kinds: readonly (readonly [name: string, of: RegExp])[] = [
  ['declarations, for both formats', /\.d\.c?ts$/],
  ['code, ESM', /^dist\/.*\.js$/],
  ['code, CommonJS', /^dist\/.*\.cjs$/],
  ['documentation', /^docs\/|\.md$/],
  ['examples', /^examples\//],
  ['manifest and licences', /^/],
];

/** What the installed package consists of, by kind of file. */
export function packageParts(installed: string): readonly Part[] {
  const parts = new Map(kinds.map(([name]): [string, Part] => [name, { name, bytes: 0, gzipped: 0 }]));
  for (const path of readdirSync(installed, { recursive: true, encoding: 'utf8' })) {
    const file = join(installed, path);
    if (!statSync(file).isFile()) continue;
    const [name = ''] = kinds.find(([, of]) => of.test(path)) ?? [];
    const content = readFileSync(file);
    const part = parts.get(name) ?? { name, bytes: 0, gzipped: 0 };
    parts.set(name, {
      name,
      bytes: part.bytes + content.length,
      gzipped: part.gzipped + gzipSync(content).length,
    });
  }
  return [...parts.values()];
}
