import { type Operation, type OperationName, operations } from '../../src/contract/operations.js';
import type { Product } from '../../src/contract/vocabulary.js';
import type { errorResponses as documentedResponses } from '../../src/errors/error-responses.js';
import { eventSchemas, webhooks } from './events.js';
import {
  componentSchemas,
  described,
  type JsonSchema,
  jsonSchema,
  type ObjectSchema,
  reference,
  successSchemaName,
} from './schemas.js';

/** `airtime.purchase` becomes `airtimePurchase`. */
const operationId = (name: string) => name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase());

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

/** The interface of an operation's parameters, whose doc comments describe them. */
const paramsOwner = (name: string, { product }: Operation): string =>
  ({
    'edu.validate': 'EduValidateParams',
    'transactions.status': 'TransactionStatusParams',
    'webhooks.subscribe': 'WebhookSubscribeParams',
  })[name] ?? `${product?.charAt(0).toUpperCase()}${product?.slice(1)}PurchaseParams`;

const clientId = {
  type: 'string',
  description: 'The account identifier issued at registration. Must belong to the key.',
};

/** The parameters as the service takes them: with `client_id`, and with a key for every purchase. */
function fieldsOf(name: string, operation: Operation): ObjectSchema {
  const { type, properties, required } = described(
    paramsOwner(name, operation),
    jsonSchema(operation.paramsSchema()),
  );
  const key = properties['idempotency_key'];
  return {
    type,
    properties: {
      client_id: clientId,
      ...properties,
      ...(key && { idempotency_key: { ...key, description: keyDescription } }),
    },
    required: ['client_id', ...required, ...(operation.kind === 'purchase' ? ['idempotency_key'] : [])],
  };
}

const keyDescription =
  "Your unique value for this purchase, such as the order's id. A repeated key returns the original transaction and does not charge again.";

const products: Readonly<Record<Product, string>> = {
  airtime: 'airtime',
  data: 'a data bundle',
  tv: 'a cable TV subscription',
  electricity: 'electricity',
  edu: 'education PINs',
};

function summaryOf(name: OperationName, { product }: Operation): string {
  if (name === 'transactions.status') return 'Look up a transaction';
  if (name === 'webhooks.subscribe') return 'Subscribe a webhook endpoint';
  const what = products[product ?? 'airtime'];
  if (name.endsWith('.purchase')) return `Buy ${what}`;
  return name.endsWith('.products') ? `List what ${what} can be` : `Validate the recipient of ${what}`;
}

const tags: Readonly<Record<string, string>> = {
  Airtime: 'Airtime top-ups.',
  Data: 'Data bundles.',
  TV: 'Cable TV subscriptions.',
  Electricity: 'Electricity tokens and payments.',
  Education: 'Education result-checker PINs.',
  Transactions: 'Status lookups of purchases.',
  Webhooks: 'The webhook subscription, and the events that it delivers.',
};

const tagOf = (name: string): string =>
  ({ tv: 'TV', edu: 'Education' })[name.split('.')[0] ?? ''] ??
  `${name[0]?.toUpperCase()}${name.slice(1).split('.')[0]}`;

/** Statuses that each kind of call may have. */
const sharedErrors = [401, 403, 405, 422, 429, 500, 502, 503] as const;
const errorsByKind = {
  purchase: [402, 409, ...sharedErrors],
  read: [400, ...sharedErrors],
  subscribe: [...sharedErrors],
} as const;

function errorResponses(name: OperationName, { kind }: Operation) {
  const statuses = errorsByKind[kind].map((status) => [
    status,
    { $ref: `#/components/responses/Error${status}` },
  ]);
  return {
    ...Object.fromEntries(statuses),
    ...(name === 'transactions.status' && { 404: { $ref: '#/components/responses/NotFound' } }),
    default: { $ref: '#/components/responses/Error' },
  };
}

function endpoint(name: OperationName, operation: Operation): object {
  const { properties, required } = fieldsOf(name, operation);
  const request =
    operation.method === 'GET'
      ? {
          parameters: Object.entries(properties).map(([field, { description, ...schema }]) => ({
            name: field,
            in: 'query',
            required: required.includes(field),
            ...(description !== undefined && { description }),
            schema,
          })),
        }
      : { requestBody: { required: true, content: json({ type: 'object', properties, required }) } };
  return {
    [operation.method.toLowerCase()]: {
      operationId: operationId(name),
      summary: summaryOf(name, operation),
      tags: [tagOf(name)],
      security:
        operation.requiredKey === 'secret' ? [{ secretKey: [] }] : [{ secretKey: [] }, { publicKey: [] }],
      ...request,
      responses: {
        [operation.successStatus]: {
          description: operation.kind === 'purchase' ? 'Accepted: the wallet has been debited.' : 'Success.',
          content: json(reference(successSchemaName(operation.responseSchema()))),
        },
        ...errorResponses(name, operation),
      },
    },
  };
}

/** What each error status means. */
const errorDescriptions: Readonly<
  Record<Exclude<(typeof documentedResponses)[number]['status'], 404>, string>
> = {
  400: 'A required query parameter is missing.',
  401: 'The key is missing, malformed, invalid or suspended, or the address is not on the allow-list.',
  402: 'The wallet cannot cover the purchase. Nothing was charged.',
  403: 'The client_id is not registered, a public key was used where a secret key is needed, or the account may not transact.',
  405: 'The HTTP method is wrong.',
  409: 'A request with this idempotency_key is still in flight. Retry shortly.',
  422: 'A field is missing or invalid, the amount differs from the listed price, or the recipient or product is not known.',
  429: 'A rate limit is exceeded.',
  500: 'An unexpected failure. A purchase may be retried with the same idempotency_key.',
  502: 'A catalogue could not be loaded. Retry shortly.',
  503: 'The biller cannot be served now, or the purchase could not be accepted. Nothing was charged.',
};

const errorHeaders: Readonly<Record<string, object>> = {
  405: { Allow: { description: 'The accepted method.', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string' } } },
};

const documentedErrors = Object.entries(errorDescriptions).map(([status, description]) => [
  `Error${status}`,
  {
    description,
    ...(errorHeaders[status] && { headers: errorHeaders[status] }),
    content: json(reference(`Error${status}`)),
  },
]);

/**
 * The contract as an OpenAPI 3.1 document. Every field comes from the schemas that the client checks with, and its description from
 * the doc comment that callers see. The version segment belongs to the server's URL, as it belongs to `BILLPAY_BASE_URL`, so that a client
 * generated from the document takes that address as it is.
 */
export const openApiDocument = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Bill payment service',
    version: '1',
    summary: 'Airtime, data, cable TV, electricity and education PINs, paid from a prepaid wallet.',
    description:
      'The service as the package billpay uses it. A purchase is accepted asynchronously and settles later; webhooks tell how. Timestamps without a zone are text.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    {
      url: 'https://{host}/api/v1',
      description:
        'Live or sandbox: the base address that was issued with the key, which is the value of BILLPAY_BASE_URL.',
      variables: { host: { default: 'service.invalid', description: 'The host of the service.' } },
    },
  ],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  components: {
    securitySchemes: {
      secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key (sk_…): every call.' },
      publicKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A public key (pk_…): catalogues and validate calls only.',
      },
    },
    schemas: { ...componentSchemas, ...eventSchemas },
    responses: {
      ...Object.fromEntries(documentedErrors),
      NotFound: {
        description:
          'There is no transaction with this reference, or it belongs to another client. The code is not documented.',
        content: json(reference('Error')),
      },
      Error: { description: 'Any other error.', content: json(reference('Error')) },
    },
  },
  paths: Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      operation.path,
      endpoint(name as OperationName, operation),
    ]),
  ),
  webhooks,
});

/** The document as it is written to docs/openapi.json. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;
