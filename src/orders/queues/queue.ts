import type { Lane } from '../states.js';

/** How the worker of a queue works. */
export interface QueueWork {
  /** How many jobs of each lane are worked on at a time in this process. */
  readonly concurrency: Readonly<Record<Lane, number>>;
  /** ms between two sweeps of this process. */
  readonly sweepInterval: number;
  /** Works on an order, for a job of this lane, and sends its next job. Never rejects. Does nothing while the worker stops. */
  run(lane: Lane, id: string): Promise<void>;
  /** Sends a job for the orders that are due. Never rejects. */
  sweep(): Promise<void>;
  /** Resolves when no step and no sweep is under way. */
  idle(): Promise<void>;
  /** The orders of a lane that are due, the longest due first. */
  due(lane: Lane, limit: number): Promise<readonly string[]>;
  /** ms until the next order of a lane is due; undefined where none is. */
  nextDue(lane: Lane): Promise<number | undefined>;
}

/**
 * What runs the jobs of orders: `inProcessQueue()`, `pgBossQueue(boss)` or `bullmqQueue({ … })`. When an order is due is stored with it; a job is
 * a reminder of that. One more or less, or two at the same time, are harmless, and the sweep finds what was lost.
 */
export interface OrderQueue<Client = unknown> {
  /** ms between two sweeps where `createOrders` is not told. */
  readonly sweepInterval: number;
  /**
   * Sends the job of an order into a lane.
   *
   * @param options - `delayMs`: not before so many ms; `client`: within this transaction, where the engine can.
   */
  send(
    lane: Lane,
    id: string,
    options?: { delayMs?: number | undefined; client?: Client | undefined },
  ): Promise<void>;
  /** Starts to work. */
  work(work: QueueWork): Promise<void>;
  /** Takes no more jobs. */
  stop(): Promise<void>;
}
