import { useState } from 'preact/hooks';
import { billers, meterTypes, type Product, products } from '../../../contract/vocabulary.js';
import { productNames } from '../../words/words.js';
import { useLoaded, useSession } from './context.js';
import { ChoiceField, Field, Form } from './forms.js';
import { RequestResult } from './request-result.js';
import type { Catalogue, RequestDetail } from './resources.js';
import { ClientField } from './subscribe-form.js';
import { naira } from './text.js';

/** A recipient of the kind that each product takes. */
const exampleRecipients: Readonly<Record<Product, string>> = {
  airtime: '08031234567',
  data: '08031234567',
  tv: '02110144711',
  electricity: '0124000952992',
  edu: '08031234567',
};

const recipientNames: Readonly<Record<Product, string>> = {
  airtime: 'Phone number',
  data: 'Phone number',
  tv: 'Smartcard number',
  electricity: 'Meter number',
  edu: 'Profile id or phone number',
};

type Family = keyof Catalogue;

const familyOf = (product: Product): Family | undefined =>
  product === 'data' || product === 'tv' || product === 'edu' ? product : undefined;

const billersOf = (product: Product, catalogue: Catalogue): readonly string[] => {
  const family = familyOf(product);
  return family ? Object.keys(catalogue[family] ?? {}) : billers[product];
};

/** Buys any product as a client of the service would. */
export function BuyForm({ client }: { readonly client: string | undefined }) {
  const session = useSession();
  const { catalogue } = useLoaded();
  const [product, setProduct] = useState<Product>('airtime');
  const [biller, setBiller] = useState<string>();
  const [result, setResult] = useState<RequestDetail>();
  const known = billersOf(product, catalogue);
  const chosen = biller !== undefined && known.includes(biller) ? biller : (known[0] ?? '');

  const send = async ({ client_id, call = 'purchase', ...params }: Readonly<Record<string, string>>) => {
    const operation = `${product}.${call}`;
    const fields = call === 'validate' ? validateParams(params) : typed(params);
    setResult(await session.api.post<RequestDetail>('/requests', { operation, client_id, params: fields }));
  };
  const choose = (next: Product) => {
    setProduct(next);
    setResult(undefined);
  };
  const canValidate = product === 'tv' || product === 'electricity' || product === 'edu';
  return (
    <>
      <fieldset class="choice">
        <legend>Product</legend>
        {products.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="product"
              value={one}
              checked={one === product}
              onChange={() => choose(one)}
            />
            <span>{productNames[one]}</span>
          </label>
        ))}
      </fieldset>
      <Form
        key={product}
        name={`Buy: ${productNames[product]}`}
        submit={`Buy ${product === 'tv' ? 'TV' : productNames[product].toLowerCase()}`}
        onSubmit={send}
        more={
          canValidate && (
            <button type="submit" name="call" value="validate">
              Validate
            </button>
          )
        }
      >
        <ClientField client={client} />
        <ChoiceField label="Biller" name="biller" options={known} chosen={chosen} onChoose={setBiller} />
        <ProductFields product={product} biller={chosen} />
        <Field label={recipientNames[product]}>
          <input name="recipient" required defaultValue={exampleRecipients[product]} />
        </Field>
        <Field label="Idempotency key" hint="Empty: a new one">
          <input name="idempotency_key" />
        </Field>
      </Form>
      {result && <RequestResult key={result.id} request={result} onSent={setResult} />}
    </>
  );
}

interface ProductFieldsProps {
  readonly product: Product;
  readonly biller: string;
}

/** What only some products take: a code of the catalogue, an amount, a kind of meter, a quantity. */
function ProductFields({ product, biller }: ProductFieldsProps) {
  const { catalogue } = useLoaded();
  const family = familyOf(product);
  if (family) {
    return (
      <>
        <ChoiceField
          label="Product"
          name="product_code"
          options={(catalogue[family]?.[biller] ?? []).map(({ product_code, name, amount }) => [
            product_code,
            `${name}: ${naira(amount)}`,
          ])}
        />
        {product === 'edu' && (
          <Field label="Quantity">
            <input name="quantity" type="number" min="1" step="1" defaultValue="1" />
          </Field>
        )}
      </>
    );
  }
  return (
    <>
      {product === 'electricity' && <ChoiceField label="Meter" name="meter_type" options={meterTypes} />}
      <Field label="Amount, NGN">
        <input name="amount" type="number" min="0.01" step="0.01" required defaultValue="500" />
      </Field>
    </>
  );
}

/** Form fields are text; the service wants numbers in these. */
const typed = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      name === 'amount' || name === 'quantity' ? Number(value) : value,
    ]),
  );

/** Which fields a validate call takes. */
const validateFields = ['biller', 'recipient', 'meter_type'];

/** The parameters of a validate call, out of those of a purchase. */
const validateParams = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(params).filter(([name]) => validateFields.includes(name)));
