/** The numbers of the service (service.md, "Limits" and "Events"). Money in NGN, time in seconds unless named. */

/** The least amount of an airtime or electricity purchase, in NGN. */
export const minimumAmount = 0.01;

/** The longest webhook url, in characters. */
export const maximumUrlLength = 2048;

/** How many education PINs are bought when `quantity` is not given. */
export const defaultQuantity = 1;

/** The documented rate limits: `limit` requests in `windowSeconds`. `endpoint` is disabled by default. */
export const rateLimits = {
  ip: { limit: 60, windowSeconds: 60 },
  apiKey: { limit: 100, windowSeconds: 60 },
  client: { limit: 100, windowSeconds: 60 },
  endpoint: undefined,
  purchases: { limit: 20, windowSeconds: 60 },
} as const;

/** The delays before the retries of a failed webhook delivery: 1m, 5m, 15m, 30m, 1h, 6h, 24h. */
export const webhookRetryDelaysSeconds = [60, 300, 900, 1800, 3600, 21_600, 86_400] as const;

/** Commission: `rate` of the price, at most `capNgn` a transaction. */
export const commission = { rate: 0.02, capNgn: 150 } as const;
