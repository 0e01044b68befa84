import { byRatio, fixed, kB } from './format.js';
import type { Figures } from './measure.js';
import type { OnNode, Run } from './report.js';
import type { TypeCost } from './sections.js';

/** Times and memory that differ by less than 15% count as equal: runs of the same code differ by as much. */
const tie = 1.15;

/** A goal, and what was measured. */
export interface Target {
  readonly measure: string;
  /** At most so much. */
  readonly target: number;
  readonly unit: string;
  readonly digits: number;
  /** One figure for each Node, or one alone. */
  readonly measured: readonly (number | undefined)[];
  /** The same of other packages. */
  readonly others: string;
  /** A count or a number of bytes: the same in every run, so any excess is a miss. */
  readonly isExact?: boolean;
  /** A figure by the clock that was measured while other programs competed for the processor. */
  readonly isUnreliable?: boolean;
}

type Standing = 'met' | 'tie' | 'missed' | 'not measured' | 'not judged';

/** The worst of the figures. */
const worstOf = ({ measured }: Target): number =>
  Math.max(...measured.map((value) => (value === undefined ? Number.NaN : value)));

function standing(target: Target): Standing {
  const worst = worstOf(target);
  if (Number.isNaN(worst)) return 'not measured';
  if (target.isUnreliable) return 'not judged';
  if (worst <= target.target) return 'met';
  return !target.isExact && worst <= target.target * tie ? 'tie' : 'missed';
}

/** Whether a target is met, in words. */
export function verdict(target: Target): string {
  const { target: wanted, digits, unit } = target;
  const worst = worstOf(target);
  const stands = standing(target);
  if (stands === 'not judged') return 'not judged: the machine was busy';
  if (stands === 'met' || stands === 'not measured') return stands;
  const by =
    wanted === 0
      ? `${fixed(worst, digits)}${unit}`
      : `${Math.max(1, Math.round((worst / wanted - 1) * 100))}%`;
  return stands === 'tie' ? `missed by ${by}, a tie` : `missed by ${by}`;
}

/** How many targets are met. */
export function summary(targets: readonly Target[]): string {
  const count = (of: Standing) => targets.filter((target) => standing(target) === of).length;
  const parts = [
    `${count('met')} of ${targets.length} targets are met`,
    `${count('tie')} are missed by less than 15%, which counts as a tie except for sizes`,
    `${count('missed')} are missed`,
  ];
  if (count('not judged') > 0) {
    parts.push(`${count('not judged')} by the clock are not judged, because the machine was busy`);
  }
  if (count('not measured') > 0) parts.push(`${count('not measured')} were not measured`);
  return `${parts.join(', ')}. Where a row has several figures, the worst of them is compared with the target.`;
}

const figuresOf = (figures: readonly Figures[], names: readonly string[], digits: number): string =>
  names
    .map((name) => `${name} ${figures.map((figure) => fixed(figure[name], digits)).join(' / ')}`)
    .join(', ');

/** The targets of a run, with their figures. */
export function targetsOf({
  nodes,
  bundles,
  installs,
  types,
  tarballBytes,
  load,
  cores,
}: Run): readonly Target[] {
  const isUnreliable = load > cores;
  const each = (of: (node: OnNode) => number | undefined) => nodes.map(of);
  const ofOthers = (of: (node: OnNode) => Figures, names: readonly string[], digits = 2) =>
    figuresOf(nodes.map(of), names, digits);
  const clients = ['fetch', 'openai'];
  const overNode = ['fetch', 'axios'];
  const starters = ['ky', 'stripe', 'openai'];
  const typed = types.get('billpay');
  const others = [...types].filter(([name]) => name !== 'billpay');
  const typesOfOthers = (of: (cost: TypeCost) => string) =>
    others.map(([name, cost]) => `${name} ${of(cost)}`).join(', ');
  const ownGrowth = (name: string) =>
    each(({ growth }) => {
      const { total, noise } = growth.get(name) ?? { total: Number.NaN, noise: Number.NaN };
      return Math.max(0, total - noise) / 1000;
    });
  return [
    {
      measure: 'CPU of one purchase call, x ky as its documentation says, one at a time',
      target: 0.9,
      unit: '',
      digits: 2,
      measured: each(({ one }) => one.cpuOverKy['billpay']),
      others: ofOthers(({ one }) => one.cpuOverKy, clients),
    },
    {
      measure: 'the same, sixteen at a time',
      target: 0.9,
      unit: '',
      digits: 2,
      measured: each(({ sixteen }) => sixteen.cpuOverKy['billpay']),
      others: ofOthers(({ sixteen }) => sixteen.cpuOverKy, clients),
    },
    {
      measure: 'with `nodeTransport`, x stripe over node:http, one at a time',
      target: 1,
      unit: '',
      digits: 2,
      measured: each(({ one }) => one.cpuOverStripe['billpay-node-transport']),
      others: ofOthers(({ one }) => one.cpuOverStripe, overNode),
    },
    {
      measure: 'the same, sixteen at a time',
      target: 1,
      unit: '',
      digits: 2,
      measured: each(({ sixteen }) => sixteen.cpuOverStripe['billpay-node-transport']),
      others: ofOthers(({ sixteen }) => sixteen.cpuOverStripe, overNode),
    },
    {
      measure: 'cold start to the first response above bare node, x raw fetch, ESM',
      target: 1.6,
      unit: '',
      digits: 2,
      measured: each(({ coldEsm }) => coldEsm.wallRatio['billpay']),
      others: ofOthers(({ coldEsm }) => coldEsm.wallRatio, starters),
      isUnreliable,
    },
    {
      measure: 'the same, CommonJS',
      target: 1.6,
      unit: '',
      digits: 2,
      measured: each(({ coldCjs }) => coldCjs.wallRatio['billpay']),
      others: ofOthers(({ coldCjs }) => coldCjs.wallRatio, starters),
      isUnreliable,
    },
    {
      measure: 'the same by CPU instead of the clock, ESM',
      target: 1.6,
      unit: '',
      digits: 2,
      measured: each(({ coldEsm }) => coldEsm.cpuRatio['billpay']),
      others: ofOthers(({ coldEsm }) => coldEsm.cpuRatio, starters),
    },
    {
      measure: 'the same by CPU, CommonJS',
      target: 1.6,
      unit: '',
      digits: 2,
      measured: each(({ coldCjs }) => coldCjs.cpuRatio['billpay']),
      others: ofOthers(({ coldCjs }) => coldCjs.cpuRatio, starters),
    },
    {
      measure: 'importing `billpay/webhooks`',
      target: 6,
      unit: ' ms',
      digits: 1,
      measured: each(({ imports }) => imports['billpay/webhooks']),
      isUnreliable,
      others: ofOthers(({ imports }) => imports, ['standardwebhooks', 'svix', 'node:crypto'], 1),
    },
    {
      measure: `verify and parse ${nodes[0]?.verify.bytes} bytes, x HMAC + compare + JSON.parse`,
      target: 1,
      unit: '',
      digits: 2,
      measured: each(({ verify }) => verify.ratio['billpay']),
      others: ofOthers(({ verify }) => verify.ratio, ['stripe', 'svix', 'standardwebhooks', 'openai']),
    },
    {
      measure: 'bundle of one purchase, min+gz',
      target: 36,
      unit: ' kB',
      digits: 1,
      measured: [(bundles['billpay: one purchase'] ?? Number.NaN) / 1000],
      others: Object.entries(bundles)
        .filter(([name]) => !name.startsWith('billpay') && !name.endsWith(': verify'))
        .map(([name, bytes]) => `${name.split(':')[0]} ${kB(bytes)}`)
        .join(', '),
      isExact: true,
    },
    {
      measure: 'bundle of `verifyWebhook` alone, min+gz',
      target: 5.5,
      unit: ' kB',
      digits: 1,
      measured: [(bundles['billpay: verifyWebhook'] ?? Number.NaN) / 1000],
      others: Object.entries(bundles)
        .filter(([name]) => name.endsWith(': verify'))
        .map(([name, bytes]) => `${name.split(':')[0]} ${kB(bytes)}`)
        .join(', '),
      isExact: true,
    },
    {
      measure: 'packages installed',
      target: 1,
      unit: '',
      digits: 0,
      measured: [installs.get('billpay')?.packages],
      others: [...installs]
        .filter(([name]) => name !== 'billpay')
        .map(([name, { packages }]) => `${name} ${packages}`)
        .join(', '),
      isExact: true,
    },
    {
      measure: 'tarball',
      target: 300,
      unit: ' kB',
      digits: 0,
      measured: [tarballBytes / 1000],
      others: '',
      isExact: true,
    },
    {
      measure: 'unpacked, with the documentation and without source maps',
      target: 1700,
      unit: ' kB',
      digits: 0,
      measured: [(installs.get('billpay')?.bytes ?? Number.NaN) / 1000],
      others: [...installs]
        .filter(([name]) => name !== 'billpay')
        .map(([name, { bytes }]) => `${name} ${kB(bytes, 0)}`)
        .join(', '),
      isExact: true,
    },
    {
      measure: 'heap for a call in flight (2,000 at once)',
      target: 42,
      unit: ' kB',
      digits: 1,
      measured: each(({ inFlight }) => (inFlight['billpay'] ?? Number.NaN) / 1000),
      others: nodes.map(({ inFlight, version }) => `Node ${version}: ${heapOfOthers(inFlight)}`).join('; '),
    },
    {
      measure: 'the same with `nodeTransport`',
      target: 12,
      unit: ' kB',
      digits: 1,
      measured: each(({ inFlight }) => (inFlight['billpay-node-transport'] ?? Number.NaN) / 1000),
      others: 'as above',
    },
    {
      measure: 'heap growth over 50,000 calls beyond the noise',
      target: 0,
      unit: ' kB',
      digits: 0,
      measured: [...ownGrowth('billpay'), ...ownGrowth('billpay-node-transport')],
      others: `fetch ${ownGrowth('fetch')
        .map((value) => fixed(value, 0))
        .join(' / ')}`,
    },
    {
      measure: 'type check of a one-file consumer above an empty one: time',
      target: 0.2,
      unit: ' s',
      digits: 2,
      measured: [typed?.seconds],
      isUnreliable,
      others: typesOfOthers(({ seconds }) => fixed(seconds, 2)),
    },
    {
      measure: 'the same: memory',
      target: 10,
      unit: ' MB',
      digits: 1,
      measured: [typed?.megabytes],
      others: typesOfOthers(({ megabytes }) => fixed(megabytes, 1)),
    },
    {
      measure: 'the same: instantiations',
      target: 1000,
      unit: '',
      digits: 0,
      measured: [typed?.instantiations],
      others: typesOfOthers(({ instantiations }) => fixed(instantiations, 0)),
    },
  ];
}

const heapOfOthers = (figures: Figures): string =>
  byRatio(figures)
    .filter((name) => !name.startsWith('billpay'))
    .map((name) => `${name} ${kB(figures[name])}`)
    .join(', ');
