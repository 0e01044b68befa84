import { airtimePurchase } from './hey-api/sdk.gen.js';

export const buy = async (key: string): Promise<string> => {
  const { data } = await airtimePurchase({
    body: { client_id: 'c', biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: key },
    throwOnError: true,
  });
  return data.data.reference;
};
