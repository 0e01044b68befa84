import type { Figures, Gap } from './measure.js';
import type { CallFigures, ColdFigures, Growth, Installed, TypeCost, VerifyFigures } from './sections.js';

/** Everything that one Node version was measured for. */
export interface OnNode {
  readonly version: string;
  readonly one: CallFigures;
  readonly sixteen: CallFigures;
  readonly coldEsm: ColdFigures;
  readonly coldCjs: ColdFigures;
  readonly imports: Figures;
  readonly requires: Figures;
  readonly verify: VerifyFigures;
  readonly inFlight: Figures;
  readonly growth: ReadonlyMap<string, Growth>;
}

/** One run of the benchmark. */
export interface Run {
  readonly date: string;
  readonly machine: string;
  readonly rounds: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly nodes: readonly OnNode[];
  readonly bundles: Figures;
  readonly installs: ReadonlyMap<string, Installed>;
  readonly types: ReadonlyMap<string, TypeCost>;
  /** Who could not be measured where. */
  readonly gaps: readonly Gap[];
}

type Cell = string | number | undefined;

const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => cell ?? '-').join(' | ')} |`)
    .join('\n');

const fixed = (value: number | undefined, digits: number): string =>
  value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits);

const kB = (bytes: number | undefined, digits = 1): string =>
  fixed(bytes === undefined ? bytes : bytes / 1000, digits);

/** Under 15% apart counts as equal, so a target is missed only beyond it. */
const tie = 1.15;

interface Target {
  readonly measure: string;
  readonly target: number;
  readonly unit: string;
  readonly digits: number;
  /** One figure for each Node, or one alone. */
  readonly measured: readonly (number | undefined)[];
  readonly rivals: string;
}

type Standing = 'met' | 'tie' | 'short' | 'not measured';

/** By the worst of the figures. */
const worstOf = ({ measured }: Target): number =>
  Math.max(...measured.map((value) => (value === undefined ? Number.NaN : value)));

function standing(target: Target): Standing {
  const worst = worstOf(target);
  if (Number.isNaN(worst)) return 'not measured';
  if (worst <= target.target) return 'met';
  return worst <= target.target * tie ? 'tie' : 'short';
}

function verdict(target: Target): string {
  const { target: wanted, digits, unit } = target;
  const worst = worstOf(target);
  const stands = standing(target);
  if (stands === 'met' || stands === 'not measured') return stands;
  const by =
    wanted === 0
      ? `${fixed(worst, digits)}${unit}`
      : `${Math.max(1, Math.round((worst / wanted - 1) * 100))}%`;
  return stands === 'tie' ? `short by ${by}, a tie` : `short by ${by}`;
}

/** What the figures say of the targets together. */
function summary(targets: readonly Target[]): string {
  const count = (of: Standing) => targets.filter((target) => standing(target) === of).length;
  const parts = [
    `${count('met')} of ${targets.length} targets are met`,
    `${count('tie')} missed by less than 15%, which counts as a tie`,
    `${count('short')} missed by more`,
  ];
  if (count('not measured') > 0) parts.push(`${count('not measured')} not measured`);
  return `${parts.join(', ')}. Where a row has several figures, the worst of them is held against the target.`;
}

const rivalsOf = (figures: readonly Figures[], names: readonly string[], digits: number): string =>
  names
    .map((name) => `${name} ${figures.map((figure) => fixed(figure[name], digits)).join(' / ')}`)
    .join(', ');

function targetsOf({ nodes, bundles, installs, types }: Run): readonly Target[] {
  const each = (of: (node: OnNode) => number | undefined) => nodes.map(of);
  const rivals = (of: (node: OnNode) => Figures, names: readonly string[], digits = 2) =>
    rivalsOf(nodes.map(of), names, digits);
  const clients = ['openapi-fetch', 'hey-api', 'hey-api-zod', 'ky', 'openai'];
  const overNode = ['undici', 'stripe', 'axios', 'got'];
  const starters = ['openapi-fetch', 'hey-api', 'ky', 'stripe', 'openai'];
  const typed = types.get('billpay');
  const others = [...types].filter(([name]) => name !== 'billpay');
  const typeRivals = (of: (cost: TypeCost) => string) =>
    others.map(([name, cost]) => `${name} ${of(cost)}`).join(', ');
  const ownGrowth = (name: string) =>
    each(({ growth }) => {
      const { total, noise } = growth.get(name) ?? { total: Number.NaN, noise: Number.NaN };
      return Math.max(0, total - noise) / 1000;
    });
  return [
    {
      measure: 'CPU of one purchase call, x raw fetch, concurrency 1',
      target: 1.4,
      unit: '',
      digits: 2,
      measured: each(({ one }) => one.cpuRatio['billpay']),
      rivals: rivals(({ one }) => one.cpuRatio, clients),
    },
    {
      measure: 'the same, concurrency 16',
      target: 1.6,
      unit: '',
      digits: 2,
      measured: each(({ sixteen }) => sixteen.cpuRatio['billpay']),
      rivals: rivals(({ sixteen }) => sixteen.cpuRatio, clients),
    },
    {
      measure: 'with `nodeTransport`, concurrency 1',
      target: 0.9,
      unit: '',
      digits: 2,
      measured: each(({ one }) => one.cpuRatio['billpay-node-transport']),
      rivals: rivals(({ one }) => one.cpuRatio, overNode),
    },
    {
      measure: 'with `nodeTransport`, concurrency 16',
      target: 1.2,
      unit: '',
      digits: 2,
      measured: each(({ sixteen }) => sixteen.cpuRatio['billpay-node-transport']),
      rivals: rivals(({ sixteen }) => sixteen.cpuRatio, overNode),
    },
    {
      measure: 'cold start to the first answered call above bare node, x raw fetch, ESM',
      target: 1.4,
      unit: '',
      digits: 2,
      measured: each(({ coldEsm }) => coldEsm.wallRatio['billpay']),
      rivals: rivals(({ coldEsm }) => coldEsm.wallRatio, starters),
    },
    {
      measure: 'the same, CommonJS',
      target: 1.3,
      unit: '',
      digits: 2,
      measured: each(({ coldCjs }) => coldCjs.wallRatio['billpay']),
      rivals: rivals(({ coldCjs }) => coldCjs.wallRatio, starters),
    },
    {
      measure: 'the same by CPU instead of the clock, ESM',
      target: 1.4,
      unit: '',
      digits: 2,
      measured: each(({ coldEsm }) => coldEsm.cpuRatio['billpay']),
      rivals: rivals(({ coldEsm }) => coldEsm.cpuRatio, starters),
    },
    {
      measure: 'the same by CPU, CommonJS',
      target: 1.3,
      unit: '',
      digits: 2,
      measured: each(({ coldCjs }) => coldCjs.cpuRatio['billpay']),
      rivals: rivals(({ coldCjs }) => coldCjs.cpuRatio, starters),
    },
    {
      measure: 'importing `billpay/webhooks`',
      target: 3,
      unit: ' ms',
      digits: 1,
      measured: each(({ imports }) => imports['billpay/webhooks']),
      rivals: rivals(
        ({ imports }) => imports,
        ['@octokit/webhooks-methods', 'standardwebhooks', 'svix', 'node:crypto'],
        1,
      ),
    },
    {
      measure: `verify and parse ${nodes[0]?.verify.bytes} bytes, x HMAC + compare + JSON.parse`,
      target: 1,
      unit: '',
      digits: 2,
      measured: each(({ verify }) => verify.ratio['billpay']),
      rivals: rivals(
        ({ verify }) => verify.ratio,
        ['octokit (no time stamp check)', 'stripe', 'svix', 'standardwebhooks', 'openai'],
      ),
    },
    {
      measure: 'bundle of one purchase, min+gz',
      target: 18,
      unit: ' kB',
      digits: 1,
      measured: [(bundles['billpay: one purchase'] ?? Number.NaN) / 1000],
      rivals: Object.entries(bundles)
        .filter(([name]) => !name.startsWith('billpay') && !name.endsWith(': verify'))
        .map(([name, bytes]) => `${name.split(':')[0]} ${kB(bytes)}`)
        .join(', '),
    },
    {
      measure: 'bundle of `verifyWebhook` alone, min+gz',
      target: 4.4,
      unit: ' kB',
      digits: 1,
      measured: [(bundles['billpay: verifyWebhook'] ?? Number.NaN) / 1000],
      rivals: Object.entries(bundles)
        .filter(([name]) => name.endsWith(': verify'))
        .map(([name, bytes]) => `${name.split(':')[0]} ${kB(bytes)}`)
        .join(', '),
    },
    {
      measure: 'packages installed',
      target: 1,
      unit: '',
      digits: 0,
      measured: [installs.get('billpay')?.packages],
      rivals: [...installs]
        .filter(([name]) => name !== 'billpay')
        .map(([name, { packages }]) => `${name} ${packages}`)
        .join(', '),
    },
    {
      measure: 'installed, maps aside',
      target: 300,
      unit: ' kB',
      digits: 0,
      measured: [(installs.get('billpay')?.bytes ?? Number.NaN) / 1000],
      rivals: [...installs]
        .filter(([name]) => name !== 'billpay')
        .map(([name, { bytes }]) => `${name} ${kB(bytes, 0)}`)
        .join(', '),
    },
    {
      measure: 'heap for a call in flight (2,000 at once)',
      target: 27,
      unit: ' kB',
      digits: 1,
      measured: each(({ inFlight }) => (inFlight['billpay'] ?? Number.NaN) / 1000),
      rivals: nodes.map(({ inFlight, version }) => `Node ${version}: ${heapRivals(inFlight)}`).join('; '),
    },
    {
      measure: 'the same with `nodeTransport`',
      target: 15,
      unit: ' kB',
      digits: 1,
      measured: each(({ inFlight }) => (inFlight['billpay-node-transport'] ?? Number.NaN) / 1000),
      rivals: 'as above',
    },
    {
      measure: 'heap growth over 50,000 calls beyond the noise',
      target: 0,
      unit: ' kB',
      digits: 0,
      measured: [...ownGrowth('billpay'), ...ownGrowth('billpay-node-transport')],
      rivals: `fetch ${ownGrowth('fetch')
        .map((value) => fixed(value, 0))
        .join(' / ')}`,
    },
    {
      measure: 'type check of a one-file consumer above an empty one: time',
      target: 0.2,
      unit: ' s',
      digits: 2,
      measured: [typed?.seconds],
      rivals: typeRivals(({ seconds }) => fixed(seconds, 2)),
    },
    {
      measure: 'the same: memory',
      target: 10,
      unit: ' MB',
      digits: 1,
      measured: [typed?.megabytes],
      rivals: typeRivals(({ megabytes }) => fixed(megabytes, 1)),
    },
    {
      measure: 'the same: instantiations',
      target: 1000,
      unit: '',
      digits: 0,
      measured: [typed?.instantiations],
      rivals: typeRivals(({ instantiations }) => fixed(instantiations, 0)),
    },
  ];
}

const heapRivals = (figures: Figures): string =>
  byRatio(figures)
    .filter((name) => !name.startsWith('billpay'))
    .map((name) => `${name} ${kB(figures[name])}`)
    .join(', ');

/** Least first; those without a figure at the end. */
const byRatio = (figures: Figures): string[] => {
  const rank = (name: string) => {
    const value = figures[name] ?? Number.NaN;
    return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
  };
  return Object.keys(figures).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
};

const callTable = (of: CallFigures): string =>
  table(
    ['client', 'CPU, µs', 'x fetch', 'wall, µs', 'x fetch'],
    byRatio(of.cpuRatio).map((name) => [
      name,
      fixed(of.cpu[name], 0),
      fixed(of.cpuRatio[name], 2),
      fixed(of.wall[name], 0),
      fixed(of.wallRatio[name], 2),
    ]),
  );

const coldTable = (esm: ColdFigures, cjs: ColdFigures): string =>
  table(
    ['client', 'ESM, ms', 'x fetch', 'CPU, x fetch', 'CommonJS, ms', 'x fetch', 'CPU, x fetch'],
    byRatio(esm.wallRatio).map((name) => [
      name,
      fixed(esm.wall[name], 1),
      fixed(esm.wallRatio[name], 2),
      fixed(esm.cpuRatio[name], 2),
      fixed(cjs.wall[name], 1),
      fixed(cjs.wallRatio[name], 2),
      fixed(cjs.cpuRatio[name], 2),
    ]),
  );

function nodeSection(node: OnNode): string {
  const { version, one, sixteen, coldEsm, coldCjs, imports, requires, verify, inFlight, growth } = node;
  return [
    `## On Node ${version}`,
    '### One purchase call, one at a time',
    callTable(one),
    '### One purchase call, sixteen at a time',
    callTable(sixteen),
    '### Cold start: from the start of the process to the first answered call, above bare node',
    coldTable(coldEsm, coldCjs),
    '### Importing a webhook library, ms',
    table(
      ['library', 'import', 'require'],
      Object.keys(imports).map((name) => [name, fixed(imports[name], 1), fixed(requires[name], 1)]),
    ),
    `### Verifying and parsing a webhook of ${verify.bytes} bytes`,
    table(
      ['library', 'CPU, µs', 'x by hand'],
      byRatio(verify.ratio).map((name) => [name, fixed(verify.cpu[name], 1), fixed(verify.ratio[name], 2)]),
    ),
    '### Heap of a call in flight, 2,000 at once',
    table(
      ['client', 'kB'],
      byRatio(inFlight).map((name) => [name, kB(inFlight[name])]),
    ),
    '### Heap over 50,000 calls',
    table(
      ['client', 'grew by, kB', 'largest step of a tenth, kB'],
      [...growth].map(([name, { total, noise }]) => [name, kB(total, 0), kB(noise, 0)]),
    ),
  ].join('\n\n');
}

/** The whole page. `explained` are the notes on what misses its target. */
export function page(run: Run, explained: string): string {
  const nodes = run.nodes.map(({ version }) => version).join(' / ');
  const targets = targetsOf(run);
  return `${[
    '# Performance',
    `Measured on ${run.date} by \`npm run bench\` (which writes this page), on ${run.machine}; Node ${nodes}. Where a row has two figures they are for these two.`,
    'Everything runs side by side: in each round every client in turn, in a process of its own, against one stub server in another; ' +
      `medians of ${run.rounds} rounds, ratios taken within a round. Differences under 15% are ties. These are figures of one machine: the ratios travel, the microseconds do not.`,
    '## Targets',
    table(
      ['measure', 'target', 'measured', 'met', 'others in the same run'],
      targets.map((target) => [
        target.measure,
        `<= ${target.target}${target.unit}`,
        `${target.measured.map((value) => fixed(value, target.digits)).join(' / ')}${target.unit}`,
        verdict(target),
        target.rivals,
      ]),
    ),
    summary(targets),
    '## What falls short, and why',
    explained,
    ...run.nodes.map(nodeSection),
    '## Sizes',
    table(
      ['bundle, minified by esbuild and gzipped', 'kB'],
      byRatio(run.bundles).map((name) => [name, kB(run.bundles[name])]),
    ),
    table(
      ['install', 'packages', 'kB without maps'],
      [...run.installs].map(([name, { packages, bytes }]) => [name, packages, kB(bytes, 0)]),
    ),
    '## Type checks',
    'TypeScript 6.0.3, one file that makes one call, above an empty file.',
    table(
      ['client', 's', 'MB', 'instantiations'],
      [...run.types].map(([name, { seconds, megabytes, instantiations }]) => [
        name,
        fixed(seconds, 2),
        fixed(megabytes, 1),
        fixed(instantiations, 0),
      ]),
    ),
    ...(run.gaps.length > 0
      ? [
          '## What did not run',
          run.gaps.map(({ name, where, reason }) => `- ${name}, ${where}: \`${reason}\``).join('\n'),
        ]
      : []),
    '## Versions',
    Object.entries(run.versions)
      .filter(([name]) => !['node24', '@types/node'].includes(name))
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  ].join('\n\n')}\n`;
}

/** The table of targets alone, for the terminal. */
export const targetLines = (run: Run): readonly string[] =>
  targetsOf(run).map(
    (target) =>
      `${verdict(target).padEnd(20)} ${target.measure}: ${target.measured.map((value) => fixed(value, target.digits)).join(' / ')}${target.unit} (<= ${target.target}${target.unit})`,
  );
