/** What the page shows, ready to print: the server words everything, the browser only lays it out. */

/** How a text is coloured, beside what it says. */
export type Tone = 'good' | 'bad' | 'wait';

/** What a button does. */
export type Action =
  /** Posts `body` to `path`. */
  | { readonly does: 'post'; readonly label: string; readonly path: string; readonly body: object }
  /** Fetches a text from `path` into the clipboard. */
  | { readonly does: 'copy'; readonly label: string; readonly path: string }
  /** Shows the row's tokens. */
  | { readonly does: 'reveal'; readonly label: string };

/** One field of a table. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** One row of a table; it keeps its place on the page while its key stays. */
export interface Row {
  readonly key: string;
  readonly cells: readonly Cell[];
  readonly actions: readonly Action[];
  /** Where its details are; they open below the row. */
  readonly detail?: string;
}

/** One part of a row's details. */
export interface Block {
  readonly title: string;
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly events?: readonly {
    readonly at: string;
    readonly text: string;
    readonly tone?: Tone | undefined;
  }[];
  readonly code?: string;
  readonly actions?: readonly Action[];
}

/** The tables of the page, by the id of their bodies. */
export type TableName = 'transactions' | 'deliveries' | 'requests' | 'ledger' | 'faults';

/** The state of the page. */
export interface View {
  readonly baseUrl: string;
  readonly clients: readonly { readonly id: string; readonly label: string }[];
  /** Whose wallet is shown. */
  readonly client: string;
  readonly balance: string;
  /** Where the client's webhooks go, in words. */
  readonly subscription: string;
  /** The sandbox's time, where it is moved by hand. */
  readonly manualTime: string | undefined;
  readonly tables: Readonly<Record<TableName, { readonly rows: readonly Row[]; readonly count: string }>>;
}
