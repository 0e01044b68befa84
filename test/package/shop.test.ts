import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Program } from '../support/program.js';
import { freePort } from '../support/sockets.js';
import { addPeer, installedConsumer, root } from './consumer.js';

/** The example shop, copied out of the packed package as its README says. */
let consumer: string;
let shop: string;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

beforeAll(() => {
  consumer = installedConsumer();
  shop = join(consumer, 'my-shop');
  cpSync(join(consumer, 'node_modules/billpay/examples/shop'), shop, { recursive: true });
  // In place of npm install: what its manifest names, and nothing else.
  for (const name of Object.keys(manifestIn(shop).dependencies))
    if (name !== 'billpay') addPeer(consumer, name);
});
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

it('names every module that it imports, in the version that is tested here', () => {
  const files = readdirSync(shop, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const imported = files.flatMap((file) =>
    [...readFileSync(join(shop, file), 'utf8').matchAll(/(?:from|import\()\s*'([^.'][^']*)'/g)].map(
      ([, name = '']) =>
        name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : String(name.split('/')[0]),
    ),
  );
  const needed = new Set(imported.filter((name) => !name.startsWith('node:')));
  const { dependencies } = manifestIn(shop);
  expect(Object.keys(dependencies).sort()).toEqual([...needed, 'tsx'].sort());
  for (const [name, version] of Object.entries(dependencies)) {
    if (name !== 'billpay') expect([name, version]).toEqual([name, manifestOf(name)]);
  }
});

const manifestOf = (name: string): string =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;

it('starts by npm start, from the package alone', async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const bin = join(consumer, 'node_modules/.bin');
  const path = `${bin}:${root}node_modules/.bin:${process.env['PATH']}`;
  const env = { PATH: path, PORT: String(port), DATABASE_URL: '' };
  const program = new Program('npm', ['start'], { cwd: shop, env });
  try {
    await program.prints(/^shop +http/m);
    expect(await (await fetch(`${origin}/buy/electricity`)).text()).toContain('Meter number');
  } finally {
    await program.end('SIGTERM');
  }
});
