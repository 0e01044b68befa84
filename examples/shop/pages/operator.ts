import { finalStates, type Order, type OrderStats, orderStates } from 'billpay/orders';
import { html } from 'hono/html';
import { type Html, naira, page } from './layout.js';

const isOpen = (state: Order['state']): boolean => !finalStates.some((final) => final === state);
const alarming: ReadonlySet<string> = new Set<Order['state']>(['review', 'held']);

/** How many orders no worker can continue: somebody has to decide, or to put the account right. */
const needs = (count: OrderStats['count']): number => count.review + count.held;

/** Hours and minutes since an order was placed. */
const age = (since: Date): string => {
  const minutes = Math.floor((Date.now() - since.getTime()) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** What needs a person: counts, orders in review, orders that are held. */
export const operatorPage = (
  { count, oldest, awaitingRefund, contradicted, spent, breaker }: OrderStats,
  open: readonly Order[],
): Html =>
  page(
    'Operator',
    html`<h1 class="needs ${needs(count) > 0 ? 'alarm' : ''}">Needs you: ${needs(count)}</h1>
      <p class="soft">
        ${needs(count) > 0 ? 'Orders in review wait for a decision; held orders wait for the account.' : 'Every order continues by itself.'}
      </p>
      ${
        breaker
          ? html`<p class="problem" role="alert">
              Buying has stopped since ${breaker.since.toISOString().slice(11, 16)} UTC: ${breaker.error.name}. The next order tries at
              ${breaker.nextTryAt.toISOString().slice(11, 16)} UTC.
            </p>`
          : ''
      }
      ${
        count.held > 0
          ? html`<form method="post" action="/operator/resume"><button>The account is in order again: continue</button></form>`
          : ''
      }
      <ul class="counts">
        ${orderStates.map(
          (
            state,
          ) => html`<li class="${alarming.has(state) && count[state] > 0 ? 'alarm' : ''}" data-state="${state}">
            <b>${count[state]}</b>${state}
            ${isOpen(state) && oldest[state] ? html`<small>oldest ${age(oldest[state])}</small>` : ''}
          </li>`,
        )}
        <li class="${awaitingRefund > 0 ? 'alarm' : ''}"><b>${awaitingRefund}</b>awaiting refund</li>
        <li class="${contradicted > 0 ? 'alarm' : ''}"><b>${contradicted}</b>contradicted ends</li>
        <li><b>${naira(spent)}</b>spent today (UTC)</li>
      </ul>
      <p><a href="/operator/books">The books at the end of the day</a></p>
      <h2>Orders in review, held or unknown</h2>
      ${
        open.length === 0
          ? html`<p class="soft">There are none.</p>`
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
  <td>
    ${lastError ? html`${lastError.name}${lastError.status ? ` (${lastError.status})` : ''}<br /><span class="soft">${lastError.message}</span>` : ''}
  </td>
  <td>
    <div class="actions">
    ${
      state === 'held'
        ? ''
        : html`<form method="post" action="/operator/${id}/retry"><button class="plain">Continue now</button></form>`
    }
    ${
      state === 'review'
        ? html`<form method="post" action="/operator/${id}/resolve">
            <input name="note" required placeholder="What you found out" aria-label="What you found out" />
            ${(['delivered', 'failed', 'refused'] as const).map(
              (as) => html`<button class="plain" name="as" value="${as}">It is ${as}</button>`,
            )}
          </form>`
        : ''
    }
    </div>
  </td>
</tr>`;
