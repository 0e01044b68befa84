import type { Order, OrderStats } from 'billpay/orders';
import { html } from 'hono/html';
import { type Html, naira, page } from './layout.js';

/** What needs a person: counts, orders in review, orders that are held. */
export const operatorPage = (
  { count, awaitingRefund, spentToday }: OrderStats,
  open: readonly Order[],
): Html =>
  page(
    'Operator',
    html`<h1>Operator</h1>
      <ul class="counts">
        ${Object.entries(count).map(([state, n]) => html`<li><b>${n}</b>${state}</li>`)}
        <li><b>${awaitingRefund}</b>awaiting refund</li>
        <li><b>${naira(spentToday)}</b>spent today (UTC)</li>
      </ul>
      <h2>Orders that wait for somebody</h2>
      ${
        open.length === 0
          ? html`<p class="soft">Nothing is in review, held or unknown.</p>`
          : html`<div class="scroll">
              <table>
                <thead>
                  <tr><th>Order</th><th>State</th><th>Why</th><th>Do</th></tr>
                </thead>
                <tbody>
                  ${open.map(orderRow)}
                </tbody>
              </table>
            </div>`
      }`,
  );

const orderRow = ({ id, state, lastError }: Order): Html => html`<tr>
  <td><a href="/orders/${id}">${id.slice(0, 8)}</a></td>
  <td class="state ${state}">${state}</td>
  <td>${lastError ? `${lastError.name}${lastError.status ? ` (${lastError.status})` : ''}` : ''}</td>
  <td class="actions">
    <form method="post" action="/operator/${id}/retry"><button class="plain">Continue now</button></form>
    ${
      state === 'review'
        ? (['delivered', 'failed', 'refused'] as const).map(
            (as) => html`<form method="post" action="/operator/${id}/resolve">
              <input type="hidden" name="as" value="${as}" />
              <button class="plain">It is ${as}</button>
            </form>`,
          )
        : ''
    }
  </td>
</tr>`;
