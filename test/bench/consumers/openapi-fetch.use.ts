import createClient from 'openapi-fetch';
import type { paths } from './paths.js';

const client = createClient<paths>({ baseUrl: 'https://service.test/api/v1' });
export const buy = async (key: string): Promise<string | undefined> => {
  const { data } = await client.POST('/airtime/purchase', {
    body: { client_id: 'c', biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: key },
  });
  return data?.data.reference;
};
