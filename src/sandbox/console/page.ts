import { consoleClient } from './client.js';
import type { TableName } from './model.js';
import { presets, repetitions, targets } from './presets.js';
import { style } from './style.js';

/** The page, whole: no other resource is loaded, and its policy allows none. */

interface Column {
  readonly name: string;
  readonly kind?: 'num' | 'time' | 'mono' | 'soft' | 'wrap';
}

const headings = (columns: readonly Column[]): string =>
  columns.map(({ name, kind }) => `<th scope="col"${kind ? ` class="${kind}"` : ''}>${name}</th>`).join('');

interface TableCard {
  readonly id: TableName;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly empty: string;
  readonly head?: string;
}

const tableCard = ({ id, title, columns, empty, head = '' }: TableCard): string => `
<section class="card" aria-labelledby="${id}-title">
<header><h2 id="${id}-title">${title}</h2><span class="count" id="${id}-count"></span></header>
${head}
<table><thead><tr>${headings(columns)}</tr></thead><tbody id="${id}"></tbody></table>
<p class="empty">${empty}</p>
</section>`;

type Choices = ReadonlyMap<string, { readonly label: string }>;

const select = (name: string, label: string, choices: Choices, wide = false): string => {
  const options = [...choices].map(([value, choice]) => `<option value="${value}">${choice.label}</option>`);
  return `<label${wide ? ' class="wide"' : ''}>${label}<select name="${name}">${options.join('')}</select></label>`;
};

const time: Column = { name: 'Time (UTC)', kind: 'time' };
const actions: Column = { name: '' };

const transactions = tableCard({
  id: 'transactions',
  title: 'Transactions',
  columns: [
    { name: 'Reference' },
    time,
    { name: 'Product' },
    { name: 'Recipient', kind: 'wrap' },
    { name: 'Amount', kind: 'num' },
    { name: 'State' },
    actions,
  ],
  empty: `Nothing was bought yet. <button type="button" data-copy="/_console/curl">Copy a first purchase as curl</button>`,
});

const deliveries = tableCard({
  id: 'deliveries',
  title: 'Webhook deliveries',
  columns: [
    { name: 'Event' },
    time,
    { name: 'Reference', kind: 'mono' },
    { name: 'Attempts' },
    { name: 'State' },
    actions,
  ],
  empty: 'None yet: they are sent to subscribed endpoints when transactions settle.',
});

const requests = tableCard({
  id: 'requests',
  title: 'Requests',
  columns: [
    { name: 'Call' },
    time,
    { name: 'Took', kind: 'num' },
    { name: 'Answer' },
    { name: 'Note', kind: 'soft' },
    actions,
  ],
  empty: 'Nobody has called yet.',
});

const wallet = tableCard({
  id: 'ledger',
  title: 'Wallet',
  columns: [
    { name: 'Entry' },
    { name: 'Amount', kind: 'num' },
    { name: 'When (UTC) and reference', kind: 'mono' },
    { name: 'Balance', kind: 'num' },
  ],
  empty: 'This wallet has never held anything.',
  head: `<div class="body">
<p class="balance"><small>NGN</small> <span id="balance"></span></p>
<form><label class="wide">Client<select id="client"></select></label></form>
<p class="soft">Webhooks: <span id="subscription"></span></p></div>`,
});

const faults = tableCard({
  id: 'faults',
  title: 'Faults',
  columns: [{ name: 'What' }, { name: 'Calls and times', kind: 'soft' }, actions],
  empty: 'None: everything works.',
  head: `<div class="body"><form id="fault-form">
${select('preset', 'What goes wrong', presets, true)}
${select('target', 'Calls', targets)}
${select('times', 'How often', repetitions)}
<button>Turn on</button></form></div>`,
});

const clock = `
<form class="card" id="clock" hidden aria-labelledby="clock-title">
<header><h2 id="clock-title">Clock</h2><span class="count push" id="now"></span></header>
<div class="body actions">${['1m', '15m', '1h', '6h', '24h']
  .map((step) => `<button name="duration" value="${step}">+ ${step}</button>`)
  .join('')}</div></form>`;

/** tsx, which runs this from source, has functions named by a helper that the browser lacks. */
const script = `const __name = (named) => named;(${consoleClient.toString()})();`;

const hash = (content: string): string => {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
};

/** Nothing but the page's own style and script, no frames around it, no markup made from text. */
export const pagePolicy = (): string =>
  [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>billpay sandbox</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
<h1>billpay sandbox</h1>
<code class="address" id="base-url"></code>
<span id="live" class="wait">connecting</span>
<button type="button" data-copy="/_console/env">Copy .env</button>
</header>
<noscript><p class="empty">This page needs JavaScript.</p></noscript>
<main>
<div>${transactions}${deliveries}${requests}</div>
<div>${clock}${wallet}${faults}</div>
</main>
<p id="said" role="status"></p>
<script>${script}</script>
</body>
</html>
`;
