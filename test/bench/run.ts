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

/** The parts of the benchmark that are measured on each Node, by their names on the command line, with their fields in the report. */
const partsOnNode = {
  calls: async (consumer: ConsumerFolder, node: NodeVersion) => ({
    one: await sections.measureCalls(consumer, node, 1, count),
    sixteen: await sections.measureCalls(consumer, node, 16, count),
  }),
  cold: async (consumer: ConsumerFolder, node: NodeVersion) => ({
    coldEsm: await sections.measureColdStart(consumer, node, 'mjs', coldCount),
    coldCjs: await sections.measureColdStart(consumer, node, 'cjs', coldCount),
  }),
  imports: async (consumer: ConsumerFolder, node: NodeVersion) => ({
    imports: await sections.measureImports(consumer, node, 'import', coldCount),
    requires: await sections.measureImports(consumer, node, 'require', coldCount),
  }),
  verify: async (consumer: ConsumerFolder, node: NodeVersion) => ({
    verify: await sections.measureVerify(consumer, node, coldCount),
  }),
  heap: async (consumer: ConsumerFolder, node: NodeVersion) => ({
    inFlight: await sections.measureInFlight(consumer, node, 3),
  }),
};

/** All parts by their names on the command line. */
const parts: Readonly<Record<string, (consumer: ConsumerFolder, node: NodeVersion) => Promise<unknown>>> = {
  ...partsOnNode,
  bundles: sections.measureBundles,
  installs: sections.measureInstalls,
  types: (consumer, node) => sections.measureTypes(consumer, node, count),
};

async function measureNode(consumer: ConsumerFolder, node: NodeVersion): Promise<OnNode> {
  console.log(`Node ${node.version}`);
  return {
    version: node.version,
    ...(await partsOnNode.calls(consumer, node)),
    ...(await partsOnNode.cold(consumer, node)),
    ...(await partsOnNode.imports(consumer, node)),
    ...(await partsOnNode.verify(consumer, node)),
    ...(await partsOnNode.heap(consumer, node)),
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
