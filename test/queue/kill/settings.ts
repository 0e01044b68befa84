/** The documented limits and times, made so much shorter that a test can wait for them. */
export const limits = { purchases: { points: 60, duration: 2 }, requests: { points: 400, duration: 2 } };
/** Of the client. */
export const times = { timeout: 3000, totalTimeout: 8000, maxRetries: 8 };
/** s after which a job of pg-boss is given to another worker: above the deadline. */
export const expireInSeconds = 10;
export const sweepAfterMs = 2000;
export const sweepEveryMs = 1000;
