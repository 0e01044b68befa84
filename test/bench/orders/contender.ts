import type { BillPay } from '../../../src/index.js';

/** One way to keep orders and to buy them. */
export interface Contender {
  /** Such as `pg-boss, by hand`. */
  readonly name: string;
  /** Stores an order and its job. */
  place(id: string): Promise<void>;
  /** Starts to buy what was placed. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What every contender works with. */
export interface Surroundings {
  readonly billpay: BillPay;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly concurrency: number;
  /** Distinguishes tables and queues of runs. */
  readonly run: string;
  /** Called when the service is asked to buy an order. */
  onBuy(id: string): void;
  /** Called when the acceptance of an order is stored. */
  onAccepted(id: string): void;
}

export const paramsOf = () => ({ biller: 'MTN', recipient: '08031234567', amount: 100 }) as const;
