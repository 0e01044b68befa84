import { isRecord } from '../../utils/is-record.js';
import { assertOption } from '../../validation/options.js';
import { defaultCatalogue, type SandboxCatalogue } from './catalogue.js';
import { checkNames } from './fields.js';

export function readCatalogue(value: unknown): SandboxCatalogue {
  const given = checkNames('catalogue', value, ['data', 'tv', 'edu']);
  for (const [family, billers] of Object.entries(given)) {
    assertOption(isRecord(billers), `catalogue.${family}`, 'must be an object of biller to list of products');
    for (const [biller, products] of Object.entries(billers)) {
      const option = `catalogue.${family}.${biller}`;
      assertOption(Array.isArray(products), option, 'must be a list of products');
      for (const [at, entry] of products.entries()) checkProduct(`${option}[${at}]`, entry);
    }
  }
  return { ...defaultCatalogue, ...given };
}

function checkProduct(option: string, entry: unknown): void {
  const { product_code, name, amount } = isRecord(entry) ? entry : {};
  const isPrice = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0.01;
  assertOption(
    typeof product_code === 'string' && product_code !== '' && typeof name === 'string' && isPrice,
    option,
    "must be a product: { product_code: 'MTN-1GB', name: '1GB', amount: 300 }",
  );
}
