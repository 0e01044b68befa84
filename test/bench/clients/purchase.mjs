/** What every client sends, or as near to it as its own shape of calls allows. */
export const clientId = 'client_bench';
export const apiKey = 'sk_bench_4f9c1d7e';
export const authorization = `Bearer ${apiKey}`;
export const purchase = (key) => ({
  biller: 'MTN',
  recipient: '08031234567',
  amount: 500,
  idempotency_key: key,
});
export const body = (key) => ({ client_id: clientId, ...purchase(key) });
