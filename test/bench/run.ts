/**
 * Compares the package with other clients in one run; writes docs/performance.md.
 * Run: npm run bench [-- sections], such as `npm run bench -- calls cold`: these only, and their figures are printed instead of written.
 * BENCH_ROUNDS: how many rounds (default 5).
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ConsumerFolder, node24, openConsumerFolder } from './consumer-folder.js';
import type { NodeVersion } from './measure.js';
import { bundleParts, packageParts } from './package-parts.js';
import { type OnNode, page, type Run, targetLines } from './report.js';
import * as sections from './sections.js';

const count = Number(process.env['BENCH_ROUNDS'] ?? 5);
const coldCount = 3 * count;

/** The parts of the benchmark by their names on the command line. */
const parts: Readonly<Record<string, (consumer: ConsumerFolder, node: NodeVersion) => Promise<unknown>>> = {
  calls: async (consumer, node) => ({
    one: await sections.measureCalls(consumer, node, 1, count),
    sixteen: await sections.measureCalls(consumer, node, 16, count),
  }),
  cold: async (consumer, node) => ({
    esm: await sections.measureColdStart(consumer, node, 'mjs', coldCount),
    cjs: await sections.measureColdStart(consumer, node, 'cjs', coldCount),
  }),
  imports: (consumer, node) => sections.measureImports(consumer, node, 'import', coldCount),
  verify: (consumer, node) => sections.measureVerify(consumer, node, coldCount),
  heap: (consumer, node) => sections.measureInFlight(consumer, node, 3),
  growth: sections.measureGrowth,
  bundles: sections.measureBundles,
  installs: sections.measureInstalls,
  types: (consumer, node) => sections.measureTypes(consumer, node, count),
};

async function measureNode(consumer: ConsumerFolder, node: NodeVersion): Promise<OnNode> {
  const reported = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    console.log(`Node ${node.version}: ${what}`);
    return result;
  };
  return {
    version: node.version,
    one: await reported('calls, one at a time', sections.measureCalls(consumer, node, 1, count)),
    sixteen: await reported('calls, sixteen at a time', sections.measureCalls(consumer, node, 16, count)),
    coldEsm: await reported('cold start, ESM', sections.measureColdStart(consumer, node, 'mjs', coldCount)),
    coldCjs: await reported(
      'cold start, CommonJS',
      sections.measureColdStart(consumer, node, 'cjs', coldCount),
    ),
    imports: await reported('imports', sections.measureImports(consumer, node, 'import', coldCount)),
    requires: await reported('requires', sections.measureImports(consumer, node, 'require', coldCount)),
    verify: await reported('webhooks', sections.measureVerify(consumer, node, coldCount)),
    inFlight: await reported('heap in flight', sections.measureInFlight(consumer, node, 3)),
    growth: await reported('growth', sections.measureGrowth(consumer, node)),
  };
}

const machine = (): string => {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`;
};

const nodes = [sections.nodeAt(process.execPath), sections.nodeAt(node24)];
const consumer = await openConsumerFolder();
const asked = process.argv.slice(2);
try {
  if (asked.length > 0) {
    for (const name of asked) {
      const part = parts[name];
      if (!part) throw new Error(`there is no part ${name}: ${Object.keys(parts).join(', ')}`);
      for (const node of nodes) {
        console.log(`${name} on Node ${node.version}`);
        console.dir(await part(consumer, node), { depth: 5 });
      }
    }
  } else {
    const run: Run = {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      rounds: count,
      versions: sections.versions(),
      bundles: await sections.measureBundles(consumer),
      installs: await sections.measureInstalls(consumer),
      tarballBytes: statSync(consumer.packed.tarball).size,
      bundleParts: await bundleParts(),
      packageParts: packageParts(consumer.packed.installed),
      types: await sections.measureTypes(consumer, sections.nodeAt(process.execPath), count),
      nodes: [],
      load: Number.NaN,
      cores: cpus().length,
      gaps: consumer.gaps,
    };
    const measured: OnNode[] = [];
    for (const node of nodes) measured.push(await measureNode(consumer, node));
    const whole = { ...run, nodes: measured, load: loadavg()[2] ?? Number.NaN };
    const notes = readFileSync(new URL('notes.md', import.meta.url), 'utf8').trim();
    writeFileSync(fileURLToPath(new URL('../../docs/performance.md', import.meta.url)), page(whole, notes));
    for (const line of targetLines(whole)) console.log(line);
  }
} finally {
  consumer.remove();
}
