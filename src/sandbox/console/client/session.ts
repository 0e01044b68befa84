import { computed, signal } from '@preact/signals';
import type { Api } from './api.js';
import type { Connection, StreamMessage } from './events.js';
import type {
  Catalogue,
  Client,
  Clock,
  Fault,
  Info,
  ListPage,
  SandboxEvent,
  Summary,
  Trigger,
} from './resources.js';

/** What is loaded once and kept up to date by events. */
async function load(api: Api) {
  const [info, clients, faults, triggers, catalogue, summary] = await Promise.all([
    api.get<Info>('/info'),
    api.get<ListPage<Client>>('/clients'),
    api.get<ListPage<Fault>>('/faults'),
    api.get<ListPage<Trigger>>('/triggers'),
    api.get<Catalogue>('/catalogue'),
    api.get<Summary>('/summary'),
  ]);
  const parts = { info, clients: clients.data, faults: faults.data, triggers: triggers.data, catalogue };
  return { parts, summary };
}

export type Loaded = Awaited<ReturnType<typeof load>>['parts'];

/** A message at the edge of the page. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

/** How long a message stays, in ms; one about a failure stays longer. */
const noticeMs = { good: 5000, bad: 10_000 };

/** An event of the sandbox, or `reloaded`: after a lost connection, a reset or missed events everything must be read anew. */
export type PageEvent = SandboxEvent | { readonly type: 'reloaded' };

/** What all parts of the page share: what is loaded, the connection, the messages, and the events as they come. */
export function createSession(api: Api) {
  const listeners = new Set<(event: PageEvent) => void>();
  const connection = signal<Connection>('connecting');
  const loaded = signal<Loaded | undefined>(undefined);
  /** Counts, the audit and the clock: the event stream brings them. */
  const summary = signal<Summary | undefined>(undefined);
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

  const tell = (event: PageEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  const change = (part: Partial<Loaded>) => {
    if (loaded.value) loaded.value = { ...loaded.value, ...part };
  };
  /** Takes from an event what is as it says. */
  const update = (event: SandboxEvent) => {
    const { clients = [], faults = [] } = loaded.value ?? {};
    if (event.type === 'summary') summary.value = event.summary;
    if (event.type === 'fault') change({ faults: changedFaults(faults, event) });
    if (event.type === 'wallet') {
      const { balance } = event.entry;
      const paid = (one: Client) => (one.client_id === event.client_id ? { ...one, balance } : one);
      change({ clients: clients.map(paid) });
    }
  };

  let reading = 0;
  /** What happened while something is read: it may be missing in what was read. */
  let meanwhile: SandboxEvent[] = [];
  /** Reads something; a failed attempt is made again when the connection comes back. */
  const read = async <T>(ask: Promise<T>, take: (answer: T) => void) => {
    reading += 1;
    const answer = await ask.catch(() => undefined);
    if (answer !== undefined) {
      take(answer);
      for (const event of meanwhile) update(event);
    }
    reading -= 1;
    if (reading === 0) meanwhile = [];
  };
  const readAll = () => {
    // Older events are part of what is read, or a reset undid them.
    meanwhile = [];
    return read(load(api), ({ parts, summary: counts }) => {
      const before = loaded.value?.info.run_id ?? parts.info.run_id;
      summary.value = counts;
      loaded.value = parts;
      tell({ type: 'reloaded' });
      if (before !== parts.info.run_id) notify('The sandbox was restarted. Everything here was read again.');
    });
  };

  const apply = (event: SandboxEvent) => {
    const { type } = event;
    if (type === 'reset' || type === 'missed' || type === 'price') void readAll();
    else if (type === 'client' || type === 'subscription') {
      void read(api.get<ListPage<Client>>('/clients'), ({ data }) => change({ clients: data }));
    }
    if (reading > 0) meanwhile.push(event);
    update(event);
  };

  return {
    connection,
    loaded,
    summary,
    now,
    today,
    notices,
    notify,
    dismiss,
    tick: () => {
      realNow.value = Date.now();
    },
    /** Calls the listener with every event; returns what stops it. */
    onEvent: (listener: (event: PageEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Takes what the event stream brings. */
    receive: (message: StreamMessage) => {
      if ('event' in message) {
        apply(message.event);
        tell(message.event);
        return;
      }
      connection.value = message.connection;
      if (message.connection === 'live') void readAll();
    },
    /** Moves a manual clock: `next`, `run`, or `advance` with the time. */
    moveClock: async (how: string, body?: object) => {
      const clock = await api.post<Clock>(`/clock/${how}`, body);
      if (summary.value) summary.value = { ...summary.value, clock };
    },
  };
}

/** The faults after one was added, met a request or was removed. */
export function changedFaults(
  faults: readonly Fault[],
  { change, fault }: Extract<SandboxEvent, { type: 'fault' }>,
): readonly Fault[] {
  const others = faults.filter(({ id }) => id !== fault.id);
  if (change === 'removed' || fault.remaining === 0) return others;
  return [...others, fault].sort((a, b) => a.id - b.id);
}
