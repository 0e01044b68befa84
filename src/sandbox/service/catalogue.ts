import type { CatalogueProduct } from '../../contract/responses.js';
import { billers, type Product } from '../../contract/vocabulary.js';
import { assertOption } from '../../validation/options.js';
import type { Changes } from '../records/changes.js';
import type { CatalogueFamily, PriceChange } from '../records/objects.js';
import { checkedPrice } from '../schemas/catalogue-options.js';
import { failure, type HttpResponse } from './responses.js';

/** Products by family and biller (upper case), as `createSandbox({ catalogue })` takes them. */
export type SandboxCatalogue = {
  [Family in CatalogueFamily]?: Record<string, readonly CatalogueProduct[]>;
};

const product = (product_code: string, name: string, amount: number): CatalogueProduct => ({
  product_code,
  name,
  amount,
});

/** Typical products and prices; not authoritative. */
export const defaultCatalogue = {
  data: {
    MTN: [
      product('MTN-2GB-1D', '2GB, 1 day', 750),
      product('MTN-2.5GB-1D', '2.5GB, 1 day', 900),
      product('MTN-1.8GB-30D', '1.8GB, 30 days', 1500),
      product('MTN-7GB-7D', '7GB, 7 days', 3000),
      product('MTN-15GB-7D', '15GB, 7 days', 6000),
      product('MTN-20GB-30D', '20GB, 30 days', 7500),
    ],
    AIRTEL: [
      product('AIRTEL-100MB-1D', '100MB, 1 day', 100),
      product('AIRTEL-1GB-1D', '1GB, 1 day', 350),
      product('AIRTEL-3GB-30D', '3GB, 30 days', 2000),
      product('AIRTEL-4GB-30D', '4GB, 30 days', 2500),
      product('AIRTEL-8GB-30D', '8GB, 30 days', 3000),
      product('AIRTEL-10GB-30D', '10GB, 30 days', 4000),
    ],
    GLO: [
      product('GLO-1.5GB-14D', '1.5GB, 14 days', 500),
      product('GLO-2.9GB-30D', '2.9GB, 30 days', 1000),
      product('GLO-7.7GB-30D', '7.7GB, 30 days', 2500),
    ],
    '9MOBILE': [
      product('9MOBILE-100MB-1D', '100MB, 1 day', 100),
      product('9MOBILE-1.5GB-30D', '1.5GB, 30 days', 1000),
      product('9MOBILE-4.5GB-30D', '4.5GB, 30 days', 2000),
    ],
  },
  tv: {
    DSTV: [
      product('DSTV-PREMIUM', 'DStv Premium', 44500),
      product('DSTV-COMPACT-PLUS', 'DStv Compact Plus', 30000),
      product('DSTV-COMPACT', 'DStv Compact', 19000),
      product('DSTV-CONFAM', 'DStv Confam', 11000),
      product('DSTV-YANGA', 'DStv Yanga', 6000),
      product('DSTV-PADI', 'DStv Padi', 4400),
    ],
    GOTV: [
      product('GOTV-SUPA-PLUS', 'GOtv Supa Plus', 16800),
      product('GOTV-SUPA', 'GOtv Supa', 11400),
      product('GOTV-MAX', 'GOtv Max', 8500),
      product('GOTV-JOLLI', 'GOtv Jolli', 5800),
      product('GOTV-JINJA', 'GOtv Jinja', 3900),
      product('GOTV-SMALLIE', 'GOtv Smallie', 1900),
    ],
    STARTIMES: [
      product('STARTIMES-NOVA', 'StarTimes Nova', 1700),
      product('STARTIMES-SMART', 'StarTimes Smart', 3800),
      product('STARTIMES-SUPER', 'StarTimes Super', 7500),
    ],
  },
  edu: {
    WAEC: [product('WAEC-RESULT', 'WAEC result checker PIN', 3900)],
    NECO: [product('NECO-RESULT', 'NECO result checker token', 1100)],
    NABTEB: [product('NABTEB-RESULT', 'NABTEB result checker PIN', 1000)],
    JAMB: [
      product('JAMB-UTME', 'JAMB UTME PIN', 7200),
      product('JAMB-UTME-MOCK', 'JAMB UTME PIN with mock', 8700),
    ],
  },
} satisfies SandboxCatalogue;

const families = ['data', 'tv', 'edu'] as const;

/** Whether a family's products and prices come from a catalogue. */
export const hasCatalogue = (family: Product): family is CatalogueFamily =>
  families.some((known) => known === family);

/** Looks products up by family, biller in any case, and code. */
export class Catalogue {
  /** By family, and by biller in upper case. */
  readonly all: { readonly [Family in CatalogueFamily]: Record<string, readonly CatalogueProduct[]> } = {
    data: {},
    tv: {},
    edu: {},
  };
  /** The prices that were changed while the sandbox ran. */
  readonly changes: PriceChange[] = [];

  constructor(catalogue: SandboxCatalogue) {
    for (const family of families) {
      for (const [biller, list] of Object.entries(catalogue[family] ?? {})) {
        this.all[family][biller.toUpperCase()] = list;
      }
    }
  }

  /** Whether the biller can be paid for this family. */
  serves(family: Product, biller: string): boolean {
    if (hasCatalogue(family)) return Object.hasOwn(this.all[family], biller.toUpperCase());
    return billers[family].some((known) => known === biller.toUpperCase());
  }

  products(family: CatalogueFamily, biller: string): readonly CatalogueProduct[] {
    return this.serves(family, biller) ? (this.all[family][biller.toUpperCase()] ?? []) : [];
  }

  product(family: CatalogueFamily, biller: string, code: string): CatalogueProduct | undefined {
    return this.products(family, biller).find(({ product_code }) => product_code === code);
  }

  /** Changes a listed price; false where there is no such product. */
  setPrice({ product: family, biller, product_code, amount }: PriceChange): boolean {
    const changed = this.product(family, biller, product_code);
    if (!changed) return false;
    this.all[family][biller.toUpperCase()] = this.products(family, biller).map((item) =>
      item === changed ? { ...item, amount } : item,
    );
    this.changes.push({ product: family, biller, product_code, amount });
    return true;
  }
}

export const unknownBiller = (biller: string): HttpResponse =>
  failure(422, 'GATEWAY_ERROR', `This biller is not configured: ${biller}.`);

/** Changes a listed price from code; `ConfigurationError` for a product that is not listed. */
export function changePrice(
  { catalogue, changes }: { readonly catalogue: Catalogue; readonly changes: Changes },
  change: unknown,
): void {
  const price = checkedPrice(change);
  const { product, biller, product_code } = price;
  changes.commit(() => {
    const known = catalogue.setPrice(price);
    assertOption(known, 'product_code', `is not in the catalogue: ${product} ${biller} ${product_code}`);
    return [{ type: 'price', price }];
  });
}
