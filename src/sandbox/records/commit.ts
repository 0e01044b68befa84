import type { ActivityDetail, ActivityListener, SandboxActivity } from './activity.js';
import type { ReferencedEntry, Timelines } from './timeline.js';

/** Keeps what was changed; throws `ChangeNotKept` where it cannot. */
export interface ChangeWriter {
  /** Throws where an earlier change could not be kept: nothing may be changed any more. */
  check(): void;
  write(details: readonly ActivityDetail[], timeline: readonly ReferencedEntry[]): void;
}

/** A change could not be written, so that it is lost with the process. */
export class ChangeNotKept extends Error {
  constructor(cause: unknown) {
    super('The sandbox cannot write its state file. What it does from now on is lost with its process.', {
      cause,
    });
  }
}

/** Makes a change, which returns what happened by it. */
export type Commit = (change: () => readonly ActivityDetail[]) => void;

/**
 * The one way for a change: it is made, entered in the timelines, written to the state file, and reported to the listeners, in this
 * order. A change that cannot be written fails its caller; nothing is changed from then on.
 */
export class Changes {
  readonly #listeners = new Set<ActivityListener>();
  readonly #now: () => Date;
  #writer: ChangeWriter | undefined;
  readonly #untold: SandboxActivity[] = [];
  #lastId = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  commit(timelines: Timelines, change: Parameters<Commit>[0]): void {
    this.#writer?.check();
    const details = change();
    const at = this.#now();
    const firstId = this.#lastId + 1;
    this.#lastId += details.length;
    const entries = timelines.record(details, firstId, at);
    this.#writer?.write(details, entries);
    // Activities are made only where somebody listens: copying every detail takes longer than most changes do.
    if (this.#listeners.size > 0) {
      this.#report(details.map((detail, index) => ({ ...detail, id: firstId + index, at })));
    }
  }

  listen(listener: ActivityListener): () => void {
    const own: ActivityListener = (activity) => listener(activity);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Keeps everything from now on; undefined: in memory only. */
  writeTo(writer: ChangeWriter | undefined): void {
    this.#writer = writer;
  }

  /** Ids continue after those of an earlier run. */
  continueAfter(id: number): void {
    this.#lastId = Math.max(this.#lastId, id);
  }

  #report(activities: readonly SandboxActivity[]): void {
    this.#untold.push(...activities);
    if (this.#untold.length > activities.length) return;
    // A listener may change something itself: what happens by that is reported after this change.
    for (let next = this.#untold[0]; next; next = this.#untold[0]) {
      this.#tell(next);
      this.#untold.shift();
    }
  }

  /** An error of a listener is its own, so the change stands; it is reported as that of a DOM listener is, which fails a test. */
  #tell(activity: SandboxActivity): void {
    for (const listener of this.#listeners) {
      try {
        listener(activity);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
