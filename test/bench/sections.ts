import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../runtimes/tools.js';
import { bundledBytes } from '../support/weigh.js';
import type { ConsumerFolder } from './consumer-folder.js';
import {
  type Figures,
  leftOut,
  median,
  medians,
  type NodeVersion,
  probed,
  ratios,
  rounds,
  withStub,
} from './measure.js';

const notOn = (consumer: ConsumerFolder, node: NodeVersion) => leftOut(consumer, `on Node ${node.version}`);

const base = 'fetch';

export interface CallFigures {
  readonly cpu: Figures;
  readonly cpuRatio: Figures;
  readonly cpuOverKy: Figures;
  readonly cpuOverStripe: Figures;
  readonly wall: Figures;
  readonly wallRatio: Figures;
}

/** CPU and wall time of one purchase call. */
export async function measureCalls(
  consumer: ConsumerFolder,
  node: NodeVersion,
  concurrency: number,
  count: number,
): Promise<CallFigures> {
  return withStub(consumer, async (baseUrl) => {
    const all = await rounds(
      count,
      consumer.contenders,
      (name) =>
        probed<{ cpu: number; wall: number }>(consumer, {
          node,
          script: 'probes/load.mjs',
          args: [consumer.file(`contenders/${name}.mjs`), baseUrl, String(concurrency), '2000', '4000'],
        }),
      notOn(consumer, node),
    );
    return {
      cpu: medians(all, 'cpu'),
      cpuRatio: ratios(all, 'cpu', base),
      cpuOverKy: ratios(all, 'cpu', 'ky'),
      cpuOverStripe: ratios(all, 'cpu', 'stripe'),
      wall: medians(all, 'wall'),
      wallRatio: ratios(all, 'wall', base),
    };
  });
}

export interface ColdFigures {
  /** ms above bare node. */
  readonly wall: Figures;
  readonly cpu: Figures;
  readonly wallRatio: Figures;
  readonly cpuRatio: Figures;
}

const above = (figures: Figures, floor: number): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, (value ?? Number.NaN) - floor]));

const over = (figures: Figures): Figures => {
  const of = figures[base] ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, (value ?? Number.NaN) / of]),
  );
};

/** From the start of a process to its first response, above the time of a process that does nothing. */
export async function measureColdStart(
  consumer: ConsumerFolder,
  node: NodeVersion,
  end: 'mjs' | 'cjs',
  count: number,
): Promise<ColdFigures> {
  return withStub(consumer, async (baseUrl) => {
    const names = ['bare', ...consumer.contenders];
    const all = await rounds(
      count,
      names,
      (name) =>
        probed<{ wall: number; cpu: number }>(consumer, {
          node,
          script: name === 'bare' ? 'probes/bare.mjs' : `cold-${name}.${end}`,
          args: [baseUrl],
        }),
      notOn(consumer, node),
    );
    const { bare: bareWall = 0, ...walls } = medians(all, 'wall');
    const { bare: bareCpu = 0, ...cpus } = medians(all, 'cpu');
    const [wall, cpu] = [above(walls, bareWall), above(cpus, bareCpu)];
    return { wall, cpu, wallRatio: over(wall), cpuRatio: over(cpu) };
  });
}

/** How long importing a webhook library takes, in ms. */
export async function measureImports(
  consumer: ConsumerFolder,
  node: NodeVersion,
  how: 'import' | 'require',
  count: number,
): Promise<Figures> {
  const names = ['billpay/webhooks', 'standardwebhooks', 'svix', 'node:crypto'];
  const all = await rounds(
    count,
    names,
    (name) =>
      probed<{ wall: number; cpu: number }>(consumer, {
        node,
        script: 'probes/import.mjs',
        args: [name, how],
      }),
    notOn(consumer, node),
  );
  return medians(all, 'wall');
}

export interface VerifyFigures {
  readonly bytes: number;
  readonly cpu: Figures;
  readonly ratio: Figures;
}

/** The first one, written by hand from the service's documentation, is the base of the ratios. */
const verifiers = ['HMAC + compare + JSON.parse', 'billpay', 'stripe', 'svix', 'standardwebhooks', 'openai'];

/** CPU of verifying and parsing one webhook. Each library runs in its own process; in one process a library would collect the garbage of another. */
export async function measureVerify(
  consumer: ConsumerFolder,
  node: NodeVersion,
  count: number,
): Promise<VerifyFigures> {
  const all = await rounds(
    count,
    verifiers,
    (name) =>
      probed<{ bytes: number; cpu: number }>(consumer, {
        node,
        script: 'probes/verify.mjs',
        args: [name],
      }),
    notOn(consumer, node),
  );
  const [floor = ''] = verifiers;
  return {
    bytes: all.get(floor)?.[0]?.bytes ?? Number.NaN,
    cpu: medians(all, 'cpu'),
    ratio: ratios(all, 'cpu', floor),
  };
}

const bundles: Readonly<Record<string, string>> = {
  'billpay: one purchase': `import { make } from './contenders/billpay.mjs'; make('https://service.test/api/v1')('k');`,
  'ky and zod/mini: one purchase': `import ky from 'ky'; import * as z from 'zod/mini';
    const params = z.object({ biller: z.string(), recipient: z.string(), amount: z.number() });
    const answer = z.object({ data: z.object({ reference: z.string() }) });
    ky.post('https://service.test', { json: params.parse({}) }).json().then((body) => answer.parse(body));`,
  ...Object.fromEntries(
    ['stripe', 'axios', 'openai'].map((name) => [
      `${name}: one call`,
      `import { make } from './contenders/${name}.mjs'; make('https://service.test/api/v1')('k');`,
    ]),
  ),
  'billpay/webhooks: verifyWebhook': `import { verifyWebhook } from 'billpay/webhooks';
    console.log(verifyWebhook({ body: '', headers: {}, secret: 'whsec_4f9c1d7e8b2a0c3d' }));`,
  'billpay: verifyWebhook': `import { verifyWebhook } from 'billpay';
    console.log(verifyWebhook({ body: '', headers: {}, secret: 'whsec_4f9c1d7e8b2a0c3d' }));`,
  'standardwebhooks: verify': `import { Webhook } from 'standardwebhooks'; console.log(new Webhook('x').verify('', {}));`,
  'svix: verify': `import { Webhook } from 'svix'; console.log(new Webhook('x').verify('', {}));`,
};

/** Bytes of a consumer's bundle, minified and gzipped. */
export async function measureBundles(consumer: ConsumerFolder): Promise<Figures> {
  const sizes: Record<string, number> = {};
  const failed = leftOut(consumer, 'in a bundle');
  for (const [name, contents] of Object.entries(bundles)) {
    try {
      sizes[name] = await bundledBytes(contents, consumer.folder);
    } catch (error) {
      failed(name, error);
    }
  }
  return sizes;
}

/** The versions that the contenders are installed at. */
export function versions(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(new URL('../tools/package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return manifest.dependencies;
}

export interface Installed {
  readonly packages: number;
  /** Without source maps. */
  readonly bytes: number;
}

/** Number and size of the packages in an empty project after an install. */
export async function measureInstalls(consumer: ConsumerFolder): Promise<ReadonlyMap<string, Installed>> {
  const named = versions();
  const clients = ['ky', 'axios', 'stripe', 'openai', 'standardwebhooks', 'svix'];
  const specs = new Map([
    ['billpay', consumer.packed.tarball],
    ...clients.map((name): [string, string] => [name, `${name}@${named[name]}`]),
  ]);
  const all = await rounds(
    1,
    [...specs.keys()],
    (name) => installed(specs.get(name) ?? name),
    leftOut(consumer, 'from the registry'),
  );
  return new Map([...all].flatMap(([name, [first]]) => (first ? [[name, first]] : [])));
}

async function installed(spec: string): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-install-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional'];
    await run('npm', ['install', ...flags, spec], folder);
    return weigh(join(folder, 'node_modules'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function weigh(modules: string): Installed {
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  const kept = files.filter((file) => !file.endsWith('.map') && !file.startsWith('.'));
  const isPackage = (file: string) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(file);
  return {
    packages: kept.filter(isPackage).length,
    bytes: kept
      .map((file) => statSync(join(modules, file)))
      .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0),
  };
}

/** Heap of one call in flight, in bytes, 2,000 at once. */
export async function measureInFlight(
  consumer: ConsumerFolder,
  node: NodeVersion,
  count: number,
): Promise<Figures> {
  return withStub(consumer, async (baseUrl) => {
    const all = await rounds(
      count,
      consumer.contenders,
      (name) =>
        probed<{ bytes: number }>(consumer, {
          node,
          flags: ['--expose-gc'],
          script: 'probes/in-flight.mjs',
          args: [consumer.file(`contenders/${name}.mjs`), baseUrl, '2000'],
        }),
      notOn(consumer, node),
    );
    return medians(all, 'bytes');
  });
}

export interface TypeCost {
  readonly seconds: number;
  readonly megabytes: number;
  readonly instantiations: number;
}

/** What type-checking a one-file consumer costs above an empty file. */
export async function measureTypes(
  consumer: ConsumerFolder,
  node: NodeVersion,
  count: number,
): Promise<ReadonlyMap<string, TypeCost>> {
  const names = readdirSync(consumer.file('consumers'))
    .filter((file) => file.endsWith('.use.ts') && file !== 'empty.use.ts')
    .map((file) => file.replace('.use.ts', ''));
  const folder = consumer.file('types');
  mkdirSync(folder, { recursive: true });
  const tsc = consumer.file('node_modules/typescript/bin/tsc');
  const check = async (name: string): Promise<TypeCost> => {
    const config = join(folder, `${name}.json`);
    const compilerOptions = {
      strict: true,
      skipLibCheck: true,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      module: 'esnext',
      moduleResolution: 'bundler',
      noEmit: true,
    };
    writeFileSync(
      config,
      JSON.stringify({ compilerOptions, files: [consumer.file(`consumers/${name}.use.ts`)] }),
    );
    if (name === 'empty')
      writeFileSync(consumer.file('consumers/empty.use.ts'), 'export const nothing = 0;\n');
    const printed = await run(node.program, [tsc, '--extendedDiagnostics', '-p', config], consumer.folder);
    const figure = (label: string) =>
      Number(printed.match(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm'))?.[1] ?? Number.NaN);
    return {
      seconds: figure('Total time'),
      megabytes: figure('Memory used') / 1000,
      instantiations: figure('Instantiations'),
    };
  };
  const all = await rounds(count, ['empty', ...names], check, leftOut(consumer, 'in a type check'));
  const empty = all.get('empty') ?? [];
  const aboveEmpty = (values: readonly TypeCost[], field: keyof TypeCost) =>
    median(values.map((value) => value[field])) - median(empty.map((value) => value[field]));
  return new Map(
    names.map((name) => {
      const values = all.get(name) ?? [];
      return [
        name,
        {
          seconds: aboveEmpty(values, 'seconds'),
          megabytes: aboveEmpty(values, 'megabytes'),
          instantiations: aboveEmpty(values, 'instantiations'),
        },
      ];
    }),
  );
}

/** The version of a Node. */
export const nodeAt = (program: string): NodeVersion => ({
  program,
  version: execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1),
});
