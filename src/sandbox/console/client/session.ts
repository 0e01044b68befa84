import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Api } from './api.js';
import type { Connection } from './event-stream.js';
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

/** A message at the edge of the page; it goes away by itself. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

/** What is loaded once and kept up to date by events. */
export interface Loaded {
  readonly info: Info;
  /** The first is the default one. */
  readonly clients: readonly Client[];
  readonly faults: readonly Fault[];
  readonly triggers: readonly Trigger[];
  readonly catalogue: Catalogue;
}

export type EventListener = (event: SandboxEvent) => void;

/** What all parts of the page share. */
export interface Session {
  readonly api: Api;
  readonly connection: Signal<Connection>;
  readonly loaded: Signal<Loaded | undefined>;
  /** Counts, the audit and the clock: the event stream brings them. */
  readonly summary: Signal<Summary | undefined>;
  /** Now by the sandbox's clock, in ms since 1970; a real clock is read when `tick` is called. */
  readonly now: ReadonlySignal<number>;
  /** The day of `now`: `2026-01-31`. */
  readonly today: ReadonlySignal<string>;
  tick(): void;
  readonly notices: Signal<readonly Notice[]>;
  /** Counts how often everything must be read anew: after a lost connection, a reset or missed events. */
  readonly generation: Signal<number>;
  notify(text: string, tone?: Notice['tone']): void;
  dismiss(id: number): void;
  /** Calls the listener with every event; returns what stops it. */
  onEvent(listener: EventListener): () => void;
  receive(event: SandboxEvent): void;
  connected(connection: Connection): void;
  /** The clock as the response to moving it says. */
  clockMoved(clock: Clock): void;
}

export function createSession(api: Api): Session {
  const listeners = new Set<EventListener>();
  const connection = signal<Connection>('connecting');
  const loaded = signal<Loaded | undefined>(undefined);
  const summary = signal<Summary | undefined>(undefined);
  const notices = signal<readonly Notice[]>([]);
  const generation = signal(0);
  const realNow = signal(Date.now());
  const now = computed(() => {
    const clock = summary.value?.clock;
    return clock?.kind === 'manual' ? Date.parse(clock.now) : realNow.value;
  });
  const today = computed(() => new Date(now.value).toISOString().slice(0, 10));
  let lastNotice = 0;

  const notify = (text: string, tone: Notice['tone'] = 'good') => {
    lastNotice += 1;
    notices.value = [...notices.value.slice(-2), { id: lastNotice, text, tone }];
  };

  const loadAll = async () => {
    const [info, clients, faults, triggers, catalogue, counts] = await Promise.all([
      api.get<Info>('/info'),
      api.get<ListPage<Client>>('/clients'),
      api.get<ListPage<Fault>>('/faults'),
      api.get<ListPage<Trigger>>('/triggers'),
      api.get<Catalogue>('/catalogue'),
      api.get<Summary>('/summary'),
    ]);
    const before = loaded.value?.info.run_id;
    summary.value = counts;
    loaded.value = { info, clients: clients.data, faults: faults.data, triggers: triggers.data, catalogue };
    generation.value += 1;
    if (before !== undefined && before !== info.run_id)
      notify('The sandbox was restarted. Everything here was read again.');
  };
  /** A failed attempt is made again when the connection comes back. */
  const reload = () => void loadAll().catch(() => undefined);

  const change = (part: Partial<Loaded>) => {
    if (loaded.value) loaded.value = { ...loaded.value, ...part };
  };

  const changeClient = (clientId: string, changed: (client: Client) => Client) =>
    change({
      clients: (loaded.value?.clients ?? []).map((one) => (one.client_id === clientId ? changed(one) : one)),
    });

  const apply = (event: SandboxEvent) => {
    switch (event.type) {
      case 'reset':
      case 'missed':
      case 'price':
        return reload();
      case 'summary':
        summary.value = event.summary;
        return;
      case 'fault':
        return change({ faults: changedFaults(loaded.value?.faults ?? [], event) });
      case 'wallet':
        return changeClient(event.client_id, (client) => ({ ...client, balance: event.entry.balance }));
      case 'client':
      case 'subscription':
        return void api
          .get<Client>(`/clients/${encodeURIComponent(event.client_id)}`)
          .then((client) => changeClient(client.client_id, () => client))
          .catch(() => undefined);
      default:
        return undefined;
    }
  };

  return {
    api,
    connection,
    loaded,
    summary,
    now,
    today,
    tick: () => {
      realNow.value = Date.now();
    },
    notices,
    generation,
    notify,
    dismiss: (id) => {
      notices.value = notices.value.filter((one) => one.id !== id);
    },
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    receive: (event) => {
      apply(event);
      for (const listener of [...listeners]) listener(event);
    },
    connected: (next) => {
      connection.value = next;
      if (next === 'live') reload();
    },
    clockMoved: (clock) => {
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
