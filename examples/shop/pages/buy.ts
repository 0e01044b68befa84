import type { CatalogueProduct } from 'billpay';
import { html } from 'hono/html';
import type { Choice, Offer, Problems, Shelf } from '../catalogue.js';
import { shelves } from '../catalogue.js';
import { type Html, naira, page } from './layout.js';

/** The first page: what can be bought. */
export const homePage = (): Html =>
  page(
    'Buy',
    html`<h1>What would you like to buy?</h1>
      <ul class="shelves">
        ${shelves.map(
          ({ product, title, hint }) =>
            html`<li><a href="/buy/${product}"><strong>${title}</strong><span class="soft">${hint}</span></a></li>`,
        )}
      </ul>`,
  );

/** What a form is filled with, and what is wrong with it. */
interface Filled {
  readonly choice?: Choice;
  /** Shown beside the fields. */
  readonly problems?: Problems;
  /** Shown above the form: what no field can correct. */
  readonly problem?: string | undefined;
}

/** The attributes of a field, and what is wrong with it. */
const marked = (name: string, problems: Problems): Html | '' =>
  problems[name] ? html`aria-invalid="true" aria-describedby="${name}-problem"` : '';
const wrong = (name: string, problems: Problems): Html | '' =>
  problems[name] ? html`<span class="wrong" id="${name}-problem">${problems[name]}</span>` : '';

/** The form of one family. */
export const formPage = (
  shelf: Shelf,
  biller: string,
  products: readonly CatalogueProduct[],
  { choice, problems = {}, problem }: Filled = {},
): Html =>
  page(
    shelf.title,
    html`<h1>${shelf.title}</h1>
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : ''}
      <form class="card stack" method="post" action="/buy/${shelf.product}/offer">
        ${
          shelf.free
            ? html`<label>Provider ${select('biller', shelf.billers, biller)}</label>`
            : html`<label>Provider ${select('biller', shelf.billers, biller, showProducts(shelf))}</label>
                <noscript><button class="plain" formmethod="get" formaction="/buy/${shelf.product}" formnovalidate>
                  Show its products
                </button></noscript>
                <label>
                  Product
                  <select name="productCode">
                    ${products.map(
                      ({ product_code, name, amount }) =>
                        html`<option value="${product_code}" ${product_code === choice?.productCode ? 'selected' : ''}>${name}: ${naira(amount)}</option>`,
                    )}
                  </select>
                </label>`
        }
        ${
          shelf.product === 'electricity'
            ? html`<label>Meter ${select('meterType', ['prepaid', 'postpaid'], choice?.meterType ?? 'prepaid')}</label>`
            : ''
        }
        <label>
          ${shelf.recipient}
          <input name="recipient" required inputmode="numeric" autocomplete="off" value="${choice?.recipient ?? shelf.example}"
            ${marked('recipient', problems)} />
          ${wrong('recipient', problems)}
        </label>
        ${
          shelf.free
            ? html`<label>
                Amount in naira
                <input name="amount" type="number" min="50" step="any" required value="${choice?.amount ?? 1000}" ${marked('amount', problems)} />
                ${wrong('amount', problems)}
              </label>`
            : ''
        }
        <button>Continue</button>
      </form>`,
  );

/** The products are those of one provider: another one is another page. */
const showProducts = ({ product }: Shelf): Html =>
  html`onchange="location.href = '/buy/${product}?biller=' + encodeURIComponent(this.value)"`;

const select = (name: string, options: readonly string[], chosen: string, attributes: Html | '' = ''): Html =>
  html`<select name="${name}" ${attributes}>
    ${options.map((option) => html`<option ${option === chosen ? 'selected' : ''}>${option}</option>`)}
  </select>`;

/** What is about to be bought, and for whom. `id` is that of the order. */
export const offerPage = (id: string, shelf: Shelf, choice: Choice, offer: Offer): Html =>
  page(
    'Check and pay',
    html`<h1>Check and pay</h1>
      <div class="card">
        <dl>
          <dt>Product</dt>
          <dd>${offer.title}</dd>
          <dt>${shelf.recipient}</dt>
          <dd>${choice.recipient}</dd>
          ${offer.customerName ? html`<dt>Name</dt><dd><strong>${offer.customerName}</strong></dd>` : ''}
          ${offer.address ? html`<dt>Address</dt><dd>${offer.address}</dd>` : ''}
          <dt>Price</dt>
          <dd><strong>${naira(offer.price)}</strong></dd>
        </dl>
        <form class="stack" method="post" action="/buy/${shelf.product}/pay">
          ${hidden({ id, ...choice })}
          <label>
            Card number <small>nothing is charged: the card is pretended</small>
            <input name="card" required inputmode="numeric" autocomplete="off" value="4242 4242 4242 4242" />
          </label>
          <button>Pay ${naira(offer.price)}</button>
        </form>
      </div>`,
  );

/** What a form carries along. */
const hidden = (fields: object): Html =>
  html`${Object.entries(fields).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;

/** The customer ordered the same a moment ago: probably two taps. `existing` is the id of that order. */
export const duplicatePage = (
  id: string,
  shelf: Shelf,
  choice: Choice,
  title: string,
  existing: string,
): Html =>
  page(
    'Ordered already',
    html`<h1>You ordered this a moment ago</h1>
      <div class="card">
        <p>${title} for ${choice.recipient}. This second order was not placed, and you have not paid for it.</p>
        <form class="row" method="post" action="/buy/${shelf.product}/pay">
          ${hidden({ id, ...choice, wantedTwice: 'yes' })}
          <a class="button" href="/orders/${existing}">Show my order</a>
          <button class="plain">Buy it once more</button>
        </form>
      </div>`,
  );
