import type { Order, OrderHistoryEntry } from 'billpay/orders';
import { html, raw } from 'hono/html';
import type { Cart } from '../carts.js';
import { type Html, masked, naira, page } from './layout.js';

const words: Readonly<Record<Order['state'], string>> = {
  placed: 'Paid. Waiting to be bought',
  buying: 'Buying',
  accepted: 'Bought. Waiting for delivery',
  delivered: 'Delivered',
  failed: 'Not delivered, refunded',
  unknown: 'Checking with the provider',
  refused: 'Not delivered, refunded',
  held: 'Delayed on our side',
  review: 'We are looking into it',
};

/** What the customer can rely on meanwhile. It never promises money back before an order has ended. */
const advice: Readonly<Partial<Record<Order['state'], string>>> = {
  buying: 'Please do not order again.',
  accepted: 'The provider has accepted it. This page changes when it is delivered.',
  unknown: 'This can take a few minutes. Please do not order again.',
  held: 'Your order continues by itself, or ends, and you get your money back.',
  review: 'We will tell you the result. Please do not order again.',
};

/** Such an order was never sent, so it can still be cancelled. */
const mayCancel = ({ state, mayHaveCharged }: Order): boolean =>
  (state === 'placed' || state === 'held') && !mayHaveCharged;

/** The same words in the list, where only the shop's own table is read. */
const ends: Readonly<Record<Cart['state'], string>> = {
  paid: 'In progress',
  delivered: words.delivered,
  refunded: words.failed,
};

const tone = (state: Order['state']): string =>
  state === 'delivered' ? 'delivered' : state === 'failed' || state === 'refused' ? 'refunded' : 'waiting';

/** The three steps of every order, and how far this one is. */
function progress(state: Order['state']): readonly (readonly [string, 'done' | 'now' | 'bad' | ''])[] {
  const paid = ['Paid', 'done'] as const;
  switch (state) {
    case 'delivered':
      return [paid, ['Bought', 'done'], ['Delivered', 'done']];
    case 'accepted':
      return [paid, ['Bought', 'done'], ['Delivery', 'now']];
    case 'failed':
      return [paid, ['Not delivered', 'bad'], ['Refunded', 'done']];
    case 'refused':
      return [paid, ['Not delivered', 'bad'], ['Refunded', 'done']];
    default:
      return [paid, ['Buying', 'now'], ['Delivery', '']];
  }
}

/** What is shown live: replaced as the order changes. */
export const orderStatus = (
  order: Order,
  cart: Cart,
): Html => html`<div id="status" data-state="${order.state}">
  <p class="state ${tone(order.state)}" role="status">${words[order.state]}</p>
  <ol class="progress">
    ${progress(order.state).map(([name, mark]) => html`<li class="${mark}">${name}</li>`)}
  </ol>
  ${advice[order.state] ? html`<p class="soft">${advice[order.state]}</p>` : ''}
  ${
    mayCancel(order)
      ? html`<form method="post" action="/orders/${order.id}/cancel"><button class="plain">Cancel the order</button></form>`
      : ''
  }
  ${
    cart.token
      ? html`<p class="token" id="token">•••• •••• •••• ${cart.token.slice(-4)}</p>
          <form method="post" action="/orders/${order.id}/token"><button class="plain">Show the token</button></form>`
      : ''
  }
</div>`;

/** One order, which follows its state live. */
export const orderPage = (order: Order, cart: Cart, history: readonly OrderHistoryEntry[]): Html =>
  page(
    cart.title,
    html`<h1>${cart.title}</h1>
      <div class="card">
        ${orderStatus(order, cart)}
        <dl>
          <dt>For</dt>
          <dd>${cart.recipient}${cart.customerName ? ` (${cart.customerName})` : ''}</dd>
          <dt>Price</dt>
          <dd>${naira(cart.price)}</dd>
          <dt>Order</dt>
          <dd>${order.id}</dd>
        </dl>
        <details>
          <summary>What happened so far</summary>
          <ol class="steps">
            ${history.map(({ at, to, event }) => html`<li>${time(at)} ${event}${event === to ? '' : html`: ${to}`}</li>`)}
          </ol>
        </details>
      </div>
      <script>
        ${raw(live(order.id))}
      </script>`,
  );

const live = (id: string): string => `
const source = new EventSource(${JSON.stringify(`/orders/${id}/live`)});
source.onmessage = ({ data }) => {
  const next = new DOMParser().parseFromString(data, 'text/html').getElementById('status');
  document.getElementById('status').replaceWith(next);
  if (['delivered', 'failed', 'refused'].includes(next.dataset.state)) source.close();
};`;

/** In groups of four, as it is typed into a meter. */
const grouped = (token: string): string => token.replace(/(.{4})(?=.)/g, '$1 ');

const copyToken = `
document.getElementById('copy').onclick = async ({ target }) => {
  await navigator.clipboard.writeText(document.getElementById('whole').dataset.token);
  target.textContent = 'Copied';
};
document.getElementById('print').onclick = () => print();`;

/** The token in full, on a page of its own, to be copied or printed. */
export const tokenPage = (cart: Cart): Html =>
  page(
    'Token',
    cart.token
      ? html`<section class="receipt">
            <h1>${cart.title}</h1>
            <p class="whole" id="whole" data-token="${cart.token}">${grouped(cart.token)}</p>
            <p>${cart.recipient}${cart.customerName ? `, ${cart.customerName}` : ''} · ${naira(cart.price)}</p>
            <p class="soft">Whoever reads it can use it.</p>
          </section>
          <p class="row"><button id="copy">Copy</button> <button class="plain" id="print">Print</button> <a href="/orders/${cart.id}">Back to the order</a></p>
          <script>
            ${raw(copyToken)}
          </script>`
      : html`<h1>${cart.title}</h1>
          <p>There is no token.</p>
          <p><a href="/orders/${cart.id}">Back to the order</a></p>`,
  );

/** A cancellation that came too late. */
export const tooLatePage = (id: string): Html =>
  page(
    'Too late',
    html`<h1>This order can no longer be cancelled</h1>
      <p>It is being bought, or has ended. <a href="/orders/${id}">See how it stands</a></p>`,
  );

const time = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

/** Every order of this shop, newest first. */
export const ordersPage = (carts: readonly Cart[]): Html =>
  page(
    'Orders',
    html`<h1>Orders</h1>
      ${
        carts.length === 0
          ? html`<p>There are no orders yet. <a href="/">Buy something.</a></p>`
          : html`<div class="scroll">
              <table>
                <thead>
                  <tr><th>Time (UTC)</th><th>Product</th><th>For</th><th class="number">Price</th><th>State</th></tr>
                </thead>
                <tbody>
                  ${carts.map(
                    (cart) => html`<tr>
                      <td>${time(cart.createdAt)}</td>
                      <td><a href="/orders/${cart.id}">${cart.title}</a></td>
                      <td>${masked(cart.recipient)}</td>
                      <td class="number">${naira(cart.price)}</td>
                      <td class="state ${cart.state === 'paid' ? 'waiting' : cart.state}">${ends[cart.state]}</td>
                    </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }`,
  );
