import type { BookSum, ReconcileFinding } from 'billpay/orders';
import { html } from 'hono/html';
import type { Books } from '../shop.js';
import { type Html, naira, page } from './layout.js';

/** Whether the orders agree with the service, and what was sold. */
export const booksPage = (books: Books | undefined): Html =>
  page(
    'Books',
    html`<h1>The books</h1>
      <form method="post" action="/operator/books"><button>Compare the last 24 hours with the service</button></form>
      ${books ? resultOf(books) : html`<p class="soft">The status of each order is checked: 30 orders a minute.</p>`}`,
  );

function resultOf({ findings, summary, error }: Books): Html {
  if (error !== undefined) return html`<p class="problem" role="alert">${error}</p>`;
  const { orders, sums, complete } = summary();
  if (!complete)
    return html`<p class="soft">${orders} orders compared. <a href="/operator/books">Look again</a></p>`;
  return html`<p class="${findings.length > 0 ? 'problem' : 'soft'}" role="status">
      ${orders} orders compared, ${findings.length} differences.
    </p>
    ${
      findings.length > 0
        ? html`<div class="scroll">
            <table>
              <thead><tr><th>Order</th><th>What differs</th><th>Here</th><th>There</th></tr></thead>
              <tbody>${findings.map(findingRow)}</tbody>
            </table>
          </div>`
        : ''
    }
    <div class="scroll">
      <table>
        <thead><tr><th>Day (UTC)</th><th>Product</th><th>Orders</th><th>Charged</th><th>Refunded</th><th>Commission</th></tr></thead>
        <tbody>${sums.map(sumRow)}</tbody>
      </table>
    </div>`;
}

const findingRow = ({ id, message, whatToDo, stored, found }: ReconcileFinding): Html => html`<tr>
  <td>${id === undefined ? '' : html`<a href="/orders/${id}">${id.slice(0, 8)}</a>`}</td>
  <td>${message}<br /><span class="soft">${whatToDo}</span></td>
  <td>${stored ?? ''}</td>
  <td>${found ?? ''}</td>
</tr>`;

const sumRow = ({ day, product, biller, orders, charged, refunded, commission }: BookSum): Html => html`<tr>
  <td>${day}</td>
  <td>${biller} ${product}</td>
  <td>${orders}</td>
  <td>${naira(charged)}</td>
  <td>${naira(refunded)}</td>
  <td>${naira(commission)}</td>
</tr>`;
