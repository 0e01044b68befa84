import * as z from 'zod/mini';
import type { CatalogueProduct } from '../../contract/responses.js';
import { isRecord } from '../../utils/is-record.js';
import { expects, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { allOptional, described, kind, list, naira, text, wordOf } from './kinds.js';

const isText = (value: unknown): boolean => typeof value === 'string';

function isProduct(value: unknown): boolean {
  const { product_code, name, amount } = isRecord(value) ? value : {};
  const isPrice = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0.01;
  return isText(product_code) && product_code !== '' && isText(name) && isPrice;
}

const product = kind<CatalogueProduct>(
  isProduct,
  "must be a product: { product_code: 'MTN-1GB', name: '1GB', amount: 300 }",
  {
    type: 'object',
    properties: {
      product_code: { type: 'string' },
      name: { type: 'string' },
      amount: { type: 'number', minimum: 0.01 },
    },
    required: ['product_code', 'name', 'amount'],
    additionalProperties: false,
  },
);

const family = () =>
  described(
    z.record(z.string(), list(product, 'must be a list of products'), {
      error: expects('must be an object of biller to list of products'),
    }),
    { description: 'Products by biller; replaces the built-in list of this family.' },
  );

/** A price that is changed. */
export const priceSchema = optionsOf({
  product: wordOf(['data', 'tv', 'edu']),
  biller: text(),
  product_code: text(),
  amount: naira(),
});

/** Checks what `setPrice` was given. */
export const checkedPrice = (change: unknown) => parseOptions(priceSchema, change, { owner: 'setPrice' });

/** What is sold. */
export const catalogueSchema = optionsOf(allOptional({ data: family(), tv: family(), edu: family() }));
