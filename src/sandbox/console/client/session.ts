import type { Api } from './api.js';
import type { Connection } from './event-stream.js';
import type {
  Audit,
  Catalogue,
  Client,
  Clock,
  Fault,
  Info,
  ListPage,
  SandboxEvent,
  Trigger,
} from './resources.js';
import { createStore, type Store } from './store.js';

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
  readonly connection: Store<Connection>;
  readonly loaded: Store<Loaded | undefined>;
  readonly audit: Store<Audit | undefined>;
  readonly clock: Store<Clock | undefined>;
  readonly notices: Store<readonly Notice[]>;
  /** Counts how often everything must be read anew: after a lost connection, a reset or missed events. */
  readonly generation: Store<number>;
  notify(text: string, tone?: Notice['tone']): void;
  dismiss(id: number): void;
  /** Calls the listener with every event; returns what stops it. */
  onEvent(listener: EventListener): () => void;
  receive(event: SandboxEvent): void;
  connected(connection: Connection): void;
}

/** How long events are gathered before the audit and the clock are read again, in ms. */
const gatherMs = 300;

export function createSession(api: Api): Session {
  const listeners = new Set<EventListener>();
  const connection = createStore<Connection>('connecting');
  const loaded = createStore<Loaded | undefined>(undefined);
  const audit = createStore<Audit | undefined>(undefined);
  const clock = createStore<Clock | undefined>(undefined);
  const notices = createStore<readonly Notice[]>([]);
  const generation = createStore(0);
  let lastNotice = 0;

  const notify = (text: string, tone: Notice['tone'] = 'good') => {
    lastNotice += 1;
    const id = lastNotice;
    notices.update((all) => [...all.slice(-2), { id, text, tone }]);
  };

  const readBooks = gathered(async () => {
    const [newAudit, newClock] = await Promise.all([api.get<Audit>('/audit'), api.get<Clock>('/clock')]);
    audit.set(newAudit);
    clock.set(newClock);
  });

  const loadAll = async () => {
    const [info, clients, faults, triggers, catalogue] = await Promise.all([
      api.get<Info>('/info'),
      api.get<ListPage<Client>>('/clients'),
      api.get<ListPage<Fault>>('/faults'),
      api.get<ListPage<Trigger>>('/triggers'),
      api.get<Catalogue>('/catalogue'),
    ]);
    const before = loaded.value?.info.run_id;
    loaded.set({ info, clients: clients.data, faults: faults.data, triggers: triggers.data, catalogue });
    generation.update((count) => count + 1);
    readBooks();
    if (before !== undefined && before !== info.run_id)
      notify('The sandbox was restarted. Everything here was read again.');
  };
  /** A failed attempt is made again when the connection comes back. */
  const reload = () => void loadAll().catch(() => undefined);

  const change = (part: Partial<Loaded>) => loaded.update((all) => all && { ...all, ...part });

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
      case 'fault':
        return change({ faults: changedFaults(loaded.value?.faults ?? [], event) });
      case 'wallet':
        changeClient(event.client_id, (client) => ({ ...client, balance: event.entry.balance }));
        return readBooks();
      case 'client':
      case 'subscription':
        return void api
          .get<Client>(`/clients/${encodeURIComponent(event.client_id)}`)
          .then((client) => changeClient(client.client_id, () => client))
          .catch(() => undefined);
      case 'transaction':
      case 'delivery':
      case 'clock':
        return readBooks();
      default:
        return undefined;
    }
  };

  return {
    api,
    connection,
    loaded,
    audit,
    clock,
    notices,
    generation,
    notify,
    dismiss: (id) => notices.update((all) => all.filter((one) => one.id !== id)),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    receive: (event) => {
      apply(event);
      for (const listener of [...listeners]) listener(event);
    },
    connected: (next) => {
      connection.set(next);
      if (next === 'live') reload();
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

/** Runs the work once for many calls in a row: after a pause, and again if it was called meanwhile. */
function gathered(work: () => Promise<void>): () => void {
  let state: 'idle' | 'waiting' | 'again' = 'idle';
  const run = () => {
    if (state !== 'idle') {
      state = 'again';
      return;
    }
    state = 'waiting';
    setTimeout(() => {
      void work()
        .catch(() => undefined)
        .finally(() => {
          const again = state === 'again';
          state = 'idle';
          if (again) run();
        });
    }, gatherMs);
  };
  return run;
}
