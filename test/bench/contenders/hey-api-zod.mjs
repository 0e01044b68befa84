import { createClient } from './hey-api-zod.client.generated.mjs';
import { airtimePurchase } from './hey-api-zod.generated.mjs';
import { apiKey, withClient } from './sale.mjs';

export function make(baseUrl) {
  const client = createClient({ baseUrl, auth: () => apiKey, throwOnError: true });
  return async (key) => (await airtimePurchase({ client, body: withClient(key) })).data;
}
