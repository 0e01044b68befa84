import { byRatio, fixed, kB } from './format.js';
import type { Figures } from './measure.js';
import type { OnNode, Run } from './report.js';
import type { Installed, TypeCost } from './sections.js';

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
export function targetsOf(run: Run): readonly Target[] {
  const { nodes, bundles, installs, types, tarballBytes } = run;
  const isUnreliable = run.load > run.cores;
  const each = (of: (node: OnNode) => number | undefined) => nodes.map(of);
  /** A figure of ours on each Node, beside the same of others. */
  const beside = (
    of: (node: OnNode) => Figures,
    own: string,
    others: readonly string[],
  ): Pick<Target, 'unit' | 'digits' | 'measured' | 'others'> => ({
    unit: '',
    digits: 2,
    measured: each((node) => of(node)[own]),
    others: figuresOf(nodes.map(of), others, 2),
  });
  const clients = ['fetch', 'openai'];
  const overNode = ['fetch', 'axios'];
  const starters = ['ky', 'stripe', 'openai'];
  const verifiers = ['stripe', 'svix', 'standardwebhooks', 'openai'];
  const size = (measure: string, target: number, bytes: number | undefined, others: string, digits = 0) => ({
    measure,
    target,
    unit: ' kB',
    digits,
    measured: [(bytes ?? Number.NaN) / 1000],
    others,
    isExact: true,
  });
  const bundlesOf = (isChosen: (name: string) => boolean) =>
    Object.entries(bundles)
      .filter(([name]) => isChosen(name) && !name.startsWith('billpay'))
      .map(([name, bytes]) => `${name.split(':')[0]} ${kB(bytes)}`)
      .join(', ');
  const installsOf = (of: (installed: Installed) => number | string) =>
    [...installs]
      .filter(([name]) => name !== 'billpay')
      .map(([name, installed]) => `${name} ${of(installed)}`)
      .join(', ');
  const inFlight = (measure: string, target: number, own: string, others: string) => ({
    measure,
    target,
    unit: ' kB',
    digits: 1,
    measured: each((node) => (node.inFlight[own] ?? Number.NaN) / 1000),
    others,
  });
  const typeCost = (measure: string, target: number, unit: string, digits: number, of: keyof TypeCost) => ({
    measure,
    target,
    unit,
    digits,
    measured: [types.get('billpay')?.[of]],
    others: [...types]
      .filter(([name]) => name !== 'billpay')
      .map(([name, cost]) => `${name} ${fixed(cost[of], digits)}`)
      .join(', '),
  });
  return [
    {
      measure: 'CPU of one purchase call, x ky as its documentation says, one at a time',
      target: 0.9,
      ...beside(({ one }) => one.cpuOverKy, 'billpay', clients),
    },
    {
      measure: 'the same, sixteen at a time',
      target: 0.9,
      ...beside(({ sixteen }) => sixteen.cpuOverKy, 'billpay', clients),
    },
    {
      measure: 'with `nodeTransport`, x stripe over node:http, one at a time',
      target: 1,
      ...beside(({ one }) => one.cpuOverStripe, 'billpay-node-transport', overNode),
    },
    {
      measure: 'the same, sixteen at a time',
      target: 1,
      ...beside(({ sixteen }) => sixteen.cpuOverStripe, 'billpay-node-transport', overNode),
    },
    {
      measure: 'cold start to the first response above bare node, x raw fetch, ESM',
      target: 1.6,
      ...beside(({ coldEsm }) => coldEsm.wallRatio, 'billpay', starters),
      isUnreliable,
    },
    {
      measure: 'the same, CommonJS',
      target: 1.6,
      ...beside(({ coldCjs }) => coldCjs.wallRatio, 'billpay', starters),
      isUnreliable,
    },
    {
      measure: 'the same by CPU instead of the clock, ESM',
      target: 1.6,
      ...beside(({ coldEsm }) => coldEsm.cpuRatio, 'billpay', starters),
    },
    {
      measure: 'the same by CPU, CommonJS',
      target: 1.6,
      ...beside(({ coldCjs }) => coldCjs.cpuRatio, 'billpay', starters),
    },
    {
      measure: 'importing `billpay/webhooks`',
      target: 6,
      unit: ' ms',
      digits: 1,
      measured: each(({ imports }) => imports['billpay/webhooks']),
      others: figuresOf(
        nodes.map(({ imports }) => imports),
        ['standardwebhooks', 'svix', 'node:crypto'],
        1,
      ),
      isUnreliable,
    },
    {
      measure: `verify and parse ${nodes[0]?.verify.bytes} bytes, x HMAC + compare + JSON.parse`,
      target: 1,
      ...beside(({ verify }) => verify.ratio, 'billpay', verifiers),
    },
    size(
      'bundle of one purchase, min+gz',
      36,
      bundles['billpay: one purchase'],
      bundlesOf((name) => !name.endsWith(': verify')),
      1,
    ),
    size(
      'bundle of `verifyWebhook` alone, min+gz',
      5.5,
      bundles['billpay/webhooks: verifyWebhook'],
      bundlesOf((name) => name.endsWith(': verify')),
      1,
    ),
    {
      measure: 'packages installed',
      target: 1,
      unit: '',
      digits: 0,
      measured: [installs.get('billpay')?.packages],
      others: installsOf(({ packages }) => packages),
      isExact: true,
    },
    size('tarball', 300, tarballBytes, ''),
    size(
      'unpacked, with the documentation and without source maps',
      1700,
      installs.get('billpay')?.bytes,
      installsOf(({ bytes }) => kB(bytes, 0)),
    ),
    inFlight(
      'heap for a call in flight (2,000 at once)',
      42,
      'billpay',
      nodes.map((node) => `Node ${node.version}: ${heapOfOthers(node.inFlight)}`).join('; '),
    ),
    inFlight('the same with `nodeTransport`', 12, 'billpay-node-transport', 'as above'),
    {
      ...typeCost('type check of a one-file consumer above an empty one: time', 0.2, ' s', 2, 'seconds'),
      isUnreliable,
    },
    typeCost('the same: memory', 10, ' MB', 1, 'megabytes'),
    typeCost('the same: instantiations', 1000, '', 0, 'instantiations'),
  ];
}

const heapOfOthers = (figures: Figures): string =>
  byRatio(figures)
    .filter((name) => !name.startsWith('billpay'))
    .map((name) => `${name} ${kB(figures[name])}`)
    .join(', ');
