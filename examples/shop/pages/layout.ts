import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { style } from './style.js';

/** What the tagged template returns. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** NGN as people write it. */
export const naira = (amount: number): string =>
  `₦${amount.toLocaleString('en-NG', { maximumFractionDigits: 2 })}`;

/** A number with its middle hidden. */
export const masked = (text: string): string =>
  text.length < 8 ? '••••' : `${text.slice(0, 4)}••••${text.slice(-3)}`;

/** A whole page. */
export const page = (title: string, content: Html): Html => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Corner Shop</title>
    <style>
      ${raw(style)}
    </style>
  </head>
  <body>
    <header><div>
      <a class="brand" href="/">Corner Shop</a>
      <nav aria-label="Pages">
        ${[
          ['/', 'Buy'],
          ['/orders', 'Orders'],
          ['/operator', 'Operator'],
        ].map(
          ([path, name]) =>
            html`<a href="${path}" ${name === title ? raw('aria-current="page"') : ''}>${name}</a>`,
        )}
      </nav>
    </div></header>
    <main>${content}</main>
  </body>
</html>`;

/** What went wrong, and the way back. */
export const problemPage = (problem: string): Html =>
  page(
    'Problem',
    html`<h1>That did not work</h1>
      <p class="problem" role="alert">${problem}</p>
      <p><a href="/">Back to the shop</a></p>`,
  );

/** What an address that does not exist shows. */
export const missingPage = (): Html =>
  page(
    'Not found',
    html`<h1>There is nothing at this address</h1>
      <p>Look at <a href="/orders">the orders</a>, or <a href="/">buy something</a>.</p>`,
  );
