/** The documented numbers of the service. Money is in NGN, time in the unit that the name says. */

/** The smallest amount of an airtime or electricity purchase, in NGN. */
export const minimumAmount = 0.01;

/** The maximum length of a webhook URL, in characters. */
export const maximumUrlLength = 2048;

/** The number of education PINs in a purchase without `quantity`. */
export const defaultQuantity = 1;

/** Rate limits: `limit` requests in `windowSeconds`. The limit for an endpoint is disabled by default. */
export const rateLimits = {
  ip: { limit: 60, windowSeconds: 60 },
  apiKey: { limit: 100, windowSeconds: 60 },
  client: { limit: 100, windowSeconds: 60 },
  endpoint: undefined,
  purchases: { limit: 20, windowSeconds: 60 },
} as const;

/** Delays before the retries of a failed webhook delivery: 1m, 5m, 15m, 30m, 1h, 6h, 24h. */
export const webhookRetryDelaysSeconds = [60, 300, 900, 1800, 3600, 21_600, 86_400] as const;

/** Commission of a transaction: `rate` times the price, at most `capNgn`. */
export const commission = { rate: 0.02, capNgn: 150 } as const;
