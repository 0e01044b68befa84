import { computed, signal } from '@preact/signals';
import { type ControlClient, ControlError } from '../../control/client.js';
import type { Json, Summary } from '../../control/types.js';
import type { Connection } from './changes.js';

/** A message at the edge of the page. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

/** How long a message stays, in ms; one about a failure stays longer. */
const noticeMs = { good: 5000, bad: 10_000 };

/** What all parts of the page share: what is in sight on every tab, the connection, the messages, and whether something changed. */
export function createSession(api: ControlClient) {
  const connection = signal<Connection>('connecting');
  const summary = signal<Json<Summary> | undefined>(undefined);
  /** Counts how often something changed: who shows something reads it again. */
  const changes = signal(0);
  const notices = signal<readonly Notice[]>([]);
  const realNow = signal(Date.now());
  /** Now by the sandbox's clock, in ms since 1970; a real clock is read when `tick` is called. */
  const now = computed(() => {
    const clock = summary.value?.clock;
    return clock?.kind === 'manual' ? Date.parse(clock.now) : realNow.value;
  });
  /** The day of `now`: `2026-01-31`. */
  const today = computed(() => new Date(now.value).toISOString().slice(0, 10));
  let lastNotice = 0;

  const dismiss = (id: number) => {
    notices.value = notices.value.filter((one) => one.id !== id);
  };
  /** Shows a message, which goes away by itself. */
  const notify = (text: string, tone: Notice['tone'] = 'good') => {
    lastNotice += 1;
    const id = lastNotice;
    notices.value = [...notices.value.slice(-2), { id, text, tone }];
    setTimeout(() => dismiss(id), noticeMs[tone]);
  };

  const readSummary = latest(async () => {
    const read = await api.get<Summary>('/summary').catch(() => undefined);
    if (read === undefined) return;
    const before = summary.value?.runId ?? read.runId;
    summary.value = read;
    if (before !== read.runId) notify('The sandbox was restarted. Everything here was read again.');
  });

  return {
    connection,
    summary,
    changes,
    now,
    today,
    notices,
    notify,
    dismiss,
    tick: () => {
      realNow.value = Date.now();
    },
    changed: () => {
      changes.value += 1;
      readSummary();
    },
  };
}

/** Runs something again when it is asked for meanwhile, but never twice at a time. */
export function latest(run: () => Promise<unknown>): () => void {
  let isRunning = false;
  let isWanted = false;
  const start = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await run();
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void start();
  };
}

/** What a resource could not be read for, in words; undefined where what was read before still stands. */
export const problemOf = (error: unknown): string | undefined =>
  error instanceof ControlError && error.status === 404 ? error.message : undefined;
