import * as z from 'zod/mini';
import { parseOptions } from '../../validation/options.js';
import { allOptional, expects, fieldsOf, listOf, naira, text, wordOf } from './fields.js';

const price = expects('must be at least 0.01 NGN');

const product = fieldsOf({
  product_code: text('Its code, such as MTN-1GB.'),
  name: text('Its name, such as 1GB.'),
  amount: naira('Its price in NGN.').check(z.minimum(0.01, price)),
});

const family = () =>
  z
    .record(
      z.string(),
      listOf(product, 'must be a list of products', 'Its products.'),
      expects('must be an object of biller to list of products'),
    )
    .check(z.describe('Products by biller; replaces the built-in list of this family.'));

/** A price that is changed. */
const priceSchema = fieldsOf({
  product: wordOf(['data', 'tv', 'edu'], 'The product family.'),
  biller: text('The biller, in any case.'),
  product_code: text('The code of the product.'),
  amount: naira('The new price in NGN.').check(z.minimum(0.01, price)),
});

/** Checks what `setPrice` was given. */
export const checkedPrice = (change: unknown) => parseOptions(priceSchema, change, { owner: 'setPrice' });

/** What is sold. */
export const catalogueSchema = fieldsOf(allOptional({ data: family(), tv: family(), edu: family() })).check(
  z.describe('What is sold.'),
);
