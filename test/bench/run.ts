/**
 * The package beside its peers, in one run; writes docs/performance.md.
 * Run: npm run bench [-- sections], such as `npm run bench -- calls cold`: these only, printed and not written.
 * BENCH_ROUNDS: how many rounds (default 5).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { node24, openWorkshop, type Workshop } from './consumer-folder.js';
import type { NodeVersion } from './measure.js';
import { type OnNode, page, type Run, targetLines } from './report.js';
import * as sections from './sections.js';

const count = Number(process.env['BENCH_ROUNDS'] ?? 5);
const coldCount = 3 * count;

/** Each part of the benchmark by the name it is asked for with. */
const parts: Readonly<Record<string, (workshop: Workshop, node: NodeVersion) => Promise<unknown>>> = {
  calls: async (workshop, node) => ({
    one: await sections.measureCalls(workshop, node, 1, count),
    sixteen: await sections.measureCalls(workshop, node, 16, count),
  }),
  cold: async (workshop, node) => ({
    esm: await sections.measureColdStart(workshop, node, 'mjs', coldCount),
    cjs: await sections.measureColdStart(workshop, node, 'cjs', coldCount),
  }),
  imports: (workshop, node) => sections.measureImports(workshop, node, 'import', coldCount),
  verify: (workshop, node) => sections.measureVerify(workshop, node, coldCount),
  heap: (workshop, node) => sections.measureInFlight(workshop, node, 3),
  growth: sections.measureGrowth,
  bundles: sections.measureBundles,
  installs: sections.measureInstalls,
  types: (workshop, node) => sections.measureTypes(workshop, node, count),
};

async function measureNode(workshop: Workshop, node: NodeVersion): Promise<OnNode> {
  const told = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    console.log(`Node ${node.version}: ${what}`);
    return result;
  };
  return {
    version: node.version,
    one: await told('calls, one at a time', sections.measureCalls(workshop, node, 1, count)),
    sixteen: await told('calls, sixteen at a time', sections.measureCalls(workshop, node, 16, count)),
    coldEsm: await told('cold start, ESM', sections.measureColdStart(workshop, node, 'mjs', coldCount)),
    coldCjs: await told('cold start, CommonJS', sections.measureColdStart(workshop, node, 'cjs', coldCount)),
    imports: await told('imports', sections.measureImports(workshop, node, 'import', coldCount)),
    requires: await told('requires', sections.measureImports(workshop, node, 'require', coldCount)),
    verify: await told('webhooks', sections.measureVerify(workshop, node, coldCount)),
    inFlight: await told('heap in flight', sections.measureInFlight(workshop, node, 3)),
    growth: await told('growth', sections.measureGrowth(workshop, node)),
  };
}

const machine = (): string => {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`;
};

const nodes = [sections.nodeAt(process.execPath), sections.nodeAt(node24)];
const workshop = await openWorkshop();
const asked = process.argv.slice(2);
try {
  if (asked.length > 0) {
    for (const name of asked) {
      const part = parts[name];
      if (!part) throw new Error(`there is no part ${name}: ${Object.keys(parts).join(', ')}`);
      for (const node of nodes) {
        console.log(`${name} on Node ${node.version}`);
        console.dir(await part(workshop, node), { depth: 5 });
      }
    }
  } else {
    const run: Run = {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      rounds: count,
      versions: sections.versions(),
      bundles: await sections.measureBundles(workshop),
      installs: await sections.measureInstalls(workshop),
      types: await sections.measureTypes(workshop, sections.nodeAt(process.execPath), count),
      nodes: [],
      gaps: workshop.gaps,
    };
    const measured: OnNode[] = [];
    for (const node of nodes) measured.push(await measureNode(workshop, node));
    const whole = { ...run, nodes: measured };
    const notes = readFileSync(new URL('notes.md', import.meta.url), 'utf8').trim();
    writeFileSync(fileURLToPath(new URL('../../docs/performance.md', import.meta.url)), page(whole, notes));
    for (const line of targetLines(whole)) console.log(line);
  }
} finally {
  workshop.remove();
}
