import { byRatio, fixed, kB, table } from './format.js';
import type { Figures, Gap } from './measure.js';
import type { Part } from './package-parts.js';
import type { CallFigures, ColdFigures, Installed, TypeCost, VerifyFigures } from './sections.js';
import { summary, targetsOf, verdict } from './targets.js';

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
}

/** One run of the benchmark. */
export interface Run {
  readonly date: string;
  readonly machine: string;
  readonly rounds: number;
  /** The machine's load average over the last 15 minutes of the run. */
  readonly load: number;
  readonly cores: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly nodes: readonly OnNode[];
  readonly bundles: Figures;
  readonly installs: ReadonlyMap<string, Installed>;
  readonly tarballBytes: number;
  /** What the bundle of one purchase consists of. */
  readonly bundleParts: readonly Part[];
  /** What the installed package consists of. */
  readonly packageParts: readonly Part[];
  readonly types: ReadonlyMap<string, TypeCost>;
  /** Who could not be measured where. */
  readonly gaps: readonly Gap[];
}

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
  const { version, one, sixteen, coldEsm, coldCjs, imports, requires, verify, inFlight } = node;
  return [
    `## On Node ${version}`,
    '### One purchase call, one at a time',
    callTable(one),
    '### One purchase call, sixteen at a time',
    callTable(sixteen),
    '### Cold start: from the start of the process to the first response, above bare node',
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
  ].join('\n\n');
}

const partsTable = (of: string, unit: string, parts: readonly Part[]): string =>
  table(
    [of, unit, 'gzipped, kB'],
    parts.map(({ name, bytes, gzipped }) => [name, kB(bytes), kB(gzipped)]),
  );

/** The whole page. `explained` are the notes on the targets that are missed. */
export function page(run: Run, explained: string): string {
  const nodes = run.nodes.map(({ version }) => version).join(' / ');
  const targets = targetsOf(run);
  return `${[
    '# Performance',
    'What does the package cost in time, memory and bytes, beside what one would use instead?',
    `Measured on ${run.date} by \`npm run bench\` (which writes this page), on ${run.machine}; Node ${nodes}. Where a row has two figures, they are for these two versions.`,
    'Each round measures every client in turn, each in a process of its own, against a stub server in another process. ' +
      `The figures are medians of ${run.rounds} rounds; ratios are taken within a round. Differences below 15% count as ties. They are figures of one machine: the ratios can be compared, the microseconds cannot. ` +
      `The load average at the end was ${fixed(run.load, 1)}; beyond the number of cores, other programs compete for them and the figures scatter.`,
    '## Targets',
    table(
      ['measure', 'target', 'measured', 'met', 'other packages in the same run'],
      targets.map((target) => [
        target.measure,
        `<= ${target.target}${target.unit}`,
        `${target.measured.map((value) => fixed(value, target.digits)).join(' / ')}${target.unit}`,
        verdict(target),
        target.others,
      ]),
    ),
    summary(targets),
    '## What is missed, and why',
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
    'What the bundle of one purchase consists of, by library and by folder of `src`; `verifyWebhook`, the sandbox and the other entry points are not in it:',
    partsTable('part of the bundle', 'minified, kB', run.bundleParts),
    'What the installed package consists of:',
    partsTable('kind of file', 'kB', run.packageParts),
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
      .filter(([name]) => !['node24', '@types/node', '@redocly/cli', 'ajv', 'ajv-formats'].includes(name))
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
