/** The rank of a step: an engine takes those in doubt first, then the attempts of new orders, then lookups. */
export type OrderRank = 'doubt' | 'new' | 'lookUp';

/** Continue with an order. */
export interface OrderStepJob {
  /** Tells it apart from a sweep. */
  readonly type: 'order';
  /** The id of the order. */
  readonly id: string;
  /** How urgent the step is. Default `new` for an order that was only just placed, else `doubt`. */
  readonly rank?: OrderRank | undefined;
  /** The order was only just placed: its first attempt can begin without reading it first. */
  readonly placed?: true | undefined;
  /** How often the order was not found: its transaction may not be committed yet. */
  readonly missed?: number | undefined;
}

/** Find the orders that are due, and continue with each. */
export interface OrderSweepJob {
  /** Tells it apart from a step of one order. */
  readonly type: 'sweep';
  /** The account at fault was set right: the process that takes the job lets the next order try at once. */
  readonly resume?: true | undefined;
}

/** One step of work. */
export type OrderJob = OrderStepJob | OrderSweepJob;

/** The ranks in their turn. */
export const orderRanks: readonly OrderRank[] = ['doubt', 'new', 'lookUp'];

/** In which turn a job is taken: 0 first. Sweeps go with what is in doubt: they find it. */
export function turnOf(job: OrderJob): number {
  if (job.type === 'sweep') return 0;
  return orderRanks.indexOf(job.rank ?? (job.placed ? 'new' : 'doubt'));
}

/** How the worker of a queue works. */
export interface QueueWorkOptions {
  /** How many jobs are worked on at a time in this process. Lookups have lanes of their own besides. */
  readonly concurrency: number;
  /** How often a `sweep` job runs, in ms, over all processes together where the queue can arrange that. */
  readonly sweepAfter: number;
}

/**
 * The engine that runs the jobs of orders: in this process, pg-boss or BullMQ. A job may run several times, at the same time and in any
 * order, because every step is guarded by the store; a job that is lost is found again by the sweep. An engine therefore needs no
 * guarantees of its own.
 */
export interface OrderQueue<Client = unknown> {
  /** The engine takes no part in transactions: a job that it cannot take is reported, and does not end the transaction that it came from. */
  readonly outsideTransactions?: boolean;
  /**
   * Adds a job.
   *
   * @param options - `delayMs`: not before so many ms; `client`: within this transaction, where the engine can.
   */
  enqueue(
    job: OrderJob,
    options?: { delayMs?: number | undefined; client?: Client | undefined },
  ): Promise<void>;
  /**
   * Starts to hand jobs to `run`, and runs a `sweep` at start and every `sweepAfter` ms. Jobs of a lower `rank` wait until there are none of
   * a higher one.
   */
  work(run: (job: OrderJob) => Promise<void>, options: QueueWorkOptions): Promise<void>;
  /** Stops taking jobs, and resolves when those under way have ended. */
  stop(): Promise<void>;
}
