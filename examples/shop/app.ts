import { randomUUID } from 'node:crypto';
import { isBillPayError } from 'billpay';
import { checkOrder, DuplicateOrderError, type Order, OrderStateError } from 'billpay/orders';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { streamSSE } from 'hono/streaming';
import {
  type Choice,
  checkedChoice,
  offerFor,
  problemsOf,
  productsOf,
  type Shelf,
  shelves,
} from './catalogue.js';
import { booksPage } from './pages/books.js';
import { duplicatePage, formPage, homePage, offerPage } from './pages/buy.js';
import { missingPage, problemPage } from './pages/layout.js';
import { operatorPage } from './pages/operator.js';
import { orderPage, orderStatus, ordersPage, tokenPage, tooLatePage } from './pages/orders.js';
import type { Shop } from './shop.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The shop's routes. */
export function createApp(shop: Shop, webhook: (request: Request) => Promise<Response>): Hono {
  const app = new Hono();
  // Forms of other sites are refused.
  app.use(csrf());
  const { billpay, orders } = shop;

  app.get('/', (c) => c.html(homePage()));

  app.get('/buy/:product', async (c) => {
    const shelf = shelfOf(c);
    if (!shelf) return c.notFound();
    const biller = c.req.query('biller') ?? shelf.billers[0] ?? '';
    return c.html(formPage(shelf, biller, await productsOf(billpay, shelf, biller)));
  });

  app.post('/buy/:product/offer', async (c) => {
    const shelf = shelfOf(c);
    if (!shelf) return c.notFound();
    const { choice, problems } = checkedChoice(shelf, await choiceOf(c));
    const again = async (filled: object) => {
      const products = await productsOf(billpay, shelf, choice.biller).catch(() => []);
      return c.html(formPage(shelf, choice.biller, products, { choice, ...filled }), 422);
    };
    if (Object.keys(problems).length > 0) return again({ problems });
    try {
      // The id comes with the offer, so that a form which is sent twice is one order.
      const id = randomUUID();
      const offer = await offerFor(billpay, shelf, choice);
      // Whatever would be refused later is said here, before the customer pays.
      const errors = checkOrder({ ...offer.item, id });
      return errors ? again({ problems: errors }) : c.html(offerPage(id, shelf, choice, offer));
    } catch (error) {
      const found = problemsOf(error);
      return again(found ? { problems: found } : { problem: problemOf(error) });
    }
  });

  app.post('/buy/:product/pay', async (c) => {
    const shelf = shelfOf(c);
    if (!shelf) return c.notFound();
    const { choice, problems } = checkedChoice(shelf, await choiceOf(c));
    const { id, wantedTwice } = await c.req.parseBody();
    if (typeof id !== 'string' || !uuid.test(id) || Object.keys(problems).length > 0)
      return c.html(problemPage('Go back and check the offer again.'), 400);
    const { title, price, customerName, item } = await offerFor(billpay, shelf, choice);
    const { product } = item;
    const cart = { id, product, title, price, customerName, recipient: choice.recipient };
    try {
      await shop.sell(cart, item, customerOf(c), { wantedTwice: wantedTwice === 'yes' });
    } catch (error) {
      if (!(error instanceof DuplicateOrderError)) throw error;
      return c.html(duplicatePage(id, shelf, choice, title, error.order.id), 409);
    }
    return c.redirect(`/orders/${id}`, 303);
  });

  app.get('/orders', async (c) => c.html(ordersPage(await shop.latestCarts(100))));

  app.get('/orders/:id', async (c) => {
    const id = c.req.param('id');
    const [order, cart, history] = await Promise.all([orders.find(id), shop.cart(id), orders.history(id)]);
    return order && cart ? c.html(orderPage(order, cart, history)) : c.notFound();
  });

  app.post('/orders/:id/cancel', async (c) => {
    const id = c.req.param('id');
    try {
      await orders.cancel(id, { note: 'by the customer' });
    } catch (error) {
      // It is being bought by now, or was bought: the page of the order shows which.
      if (!(error instanceof OrderStateError)) throw error;
      return c.html(tooLatePage(id), 409);
    }
    return c.redirect(`/orders/${id}`, 303);
  });

  app.post('/orders/:id/token', async (c) => {
    const cart = await shop.cart(c.req.param('id'));
    c.header('Cache-Control', 'no-store');
    return cart ? c.html(tokenPage(cart)) : c.notFound();
  });

  app.get('/orders/:id/live', (c) =>
    streamSSE(c, async (stream) => {
      const id = c.req.param('id');
      let wake = () => {};
      const unwatch = shop.watch(id, () => wake());
      stream.onAbort(unwatch);
      while (!stream.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const [order, cart] = await Promise.all([orders.find(id), shop.cart(id)]);
        if (!order || !cart) break;
        await stream.writeSSE({ data: String(await orderStatus(order, cart)).replaceAll('\n', ' ') });
        // Another process may have moved the order on: looked at again, even without a change here.
        await Promise.race([changed, stream.sleep(5000)]);
      }
      unwatch();
    }),
  );

  app.get('/operator', async (c) => {
    const open = async (state: Order['state']) => orders.list({ state, limit: 50 });
    const waiting = await Promise.all([open('review'), open('held'), open('unknown')]);
    return c.html(operatorPage(await orders.stats(), waiting.flat()));
  });

  app.post('/operator/resume', async (c) => {
    await orders.resumeHeld();
    return c.redirect('/operator', 303);
  });

  app.get('/operator/books', (c) => c.html(booksPage(shop.books())));

  app.post('/operator/books', (c) => {
    shop.closeBooks();
    return c.redirect('/operator/books', 303);
  });

  app.post('/operator/:id/retry', async (c) => {
    await orders.retry(c.req.param('id'));
    return c.redirect('/operator', 303);
  });

  app.post('/operator/:id/resolve', async (c) => {
    const { as: end, note } = await c.req.parseBody();
    const as = (['delivered', 'failed', 'refused'] as const).find((known) => known === end);
    if (!as || typeof note !== 'string') return c.html(problemPage('Say how the order ends, and why.'), 400);
    await orders.resolve(c.req.param('id'), { as, note });
    return c.redirect('/operator', 303);
  });

  app.post('/webhooks/billpay', (c) => webhook(c.req.raw));

  app.notFound((c) => c.html(missingPage(), 404));

  app.onError((error, c) => {
    console.error(error);
    return c.html(problemPage(problemOf(error)), 500);
  });

  return app;
}

/** Who is buying: a browser, for as long as nobody logs in. It tells apart equal orders of two customers. */
function customerOf(c: Context): string {
  const known = getCookie(c, 'customer');
  if (known !== undefined && uuid.test(known)) return known;
  const customer = randomUUID();
  setCookie(c, 'customer', customer, { httpOnly: true, sameSite: 'Lax' });
  return customer;
}

const shelfOf = (c: Context): Shelf | undefined =>
  shelves.find(({ product }) => product === c.req.param('product'));

async function choiceOf(c: Context): Promise<Choice> {
  const form = await c.req.parseBody();
  const text = (name: string) => {
    const value = form[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const amount = Number(text('amount'));
  return {
    biller: text('biller'),
    recipient: text('recipient'),
    amount: amount > 0 ? amount : undefined,
    productCode: text('productCode') || undefined,
    meterType: text('meterType') === 'postpaid' ? 'postpaid' : 'prepaid',
  };
}

/** What a customer may read of an error. */
function problemOf(error: unknown): string {
  if (!isBillPayError(error)) return error instanceof Error ? error.message : 'Something went wrong.';
  return 'The provider does not respond at the moment. Nothing was charged; try again in a minute.';
}
