import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, place, setParams } from './context.js';
import type { LiveList } from './live-list.js';
import type { Params } from './location.js';
import { Count, ListTable, type RowLook } from './table.js';
import { type ListSource, readPage, useList } from './use-list.js';
import { Action } from './widgets.js';

/** A choice among the values of one parameter. */
export interface Choice {
  readonly param: string;
  readonly label: string;
  /** The label of no choice. */
  readonly all: string;
  readonly options: Readonly<Record<string, string>>;
}

/** One kind of list: what it shows, how it is filtered, and what opens from it. */
export interface ListKind<T> extends RowLook<T>, Pick<ListSource<T>, 'path' | 'changeOf'> {
  /** The caption of the table. */
  readonly name: string;
  /** The class that the stylesheet knows the columns by. */
  readonly kind: string;
  /** What can be searched; undefined for a list that cannot be. */
  readonly searched?: string;
  readonly choices: readonly Choice[];
  /** The filter of the client does not apply. */
  readonly isOfOneClient?: boolean;
  /** The list cannot be saved as a file. */
  readonly hasNoExport?: boolean;
  /** What one of its items is called. */
  readonly item: string;
  /** Shown in place of an empty table. */
  readonly empty: string;
  readonly Detail: ComponentType<{ readonly id: string }>;
}

interface ListTabProps<T> {
  readonly of: ListKind<T>;
  /** Holds new rows back for a reason of the tab's own. */
  readonly isHeld?: boolean;
  /** What is shown in place of the list; nothing of the list is lost by it. */
  readonly instead?: (newest: T | undefined, isEmpty: boolean) => ComponentChildren;
}

/** A list with its filters, its table and its drawer. The filters are part of the address, so that they last over a reload. */
export function ListTab<T>({ of, isHeld = false, instead }: ListTabProps<T>) {
  const { params } = place.value;
  const { path, Detail } = of;
  const { open } = params;
  const names = of.choices.map(({ param }) => param);
  if (of.searched) names.push('q');
  if (!of.isOfOneClient) names.push('client');
  const query = Object.fromEntries(names.map((name) => [name, params[name]]));
  const isFiltered = Object.values(query).some(Boolean);
  const list = useList({ ...of, query, isHeld: isHeld || isFiltered || open !== undefined });
  const { chunks, waiting, total, next } = list.state.value ?? {};
  const empty = isFiltered ? `No ${of.item} matches these filters.` : of.empty;
  const showMore = async () => list.extend(await readPage<T>(path, query, next));
  // What the drawer shows is brought into sight.
  useEffect(() => {
    if (open !== undefined) document.querySelector('tr.open')?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return (
    <>
      {instead?.(waiting?.[0] ?? chunks?.[0]?.[0], total === 0 && !isFiltered) || (
        <div class={`tab ${of.kind}`}>
          <Filters of={of} query={query} list={list} />
          {total === undefined || total === 0 ? (
            <p class="soft">{total === undefined ? 'Loading…' : empty}</p>
          ) : (
            <ListTable name={of.name} look={of} list={list} showMore={showMore} />
          )}
        </div>
      )}
      {open !== undefined && <Detail key={open} id={open} />}
    </>
  );
}

interface FiltersProps<T> {
  readonly of: ListKind<T>;
  readonly query: Params;
  readonly list: LiveList<T>;
}

function Filters<T>({ of, query, list }: FiltersProps<T>) {
  const { params } = place.value;
  const names = [...Object.keys(query), 'client'];
  const clear = () => setParams(Object.fromEntries(names.map((name) => [name, ''])));
  return (
    <search class="bar filters">
      {of.searched && <SearchField text={params['q'] ?? ''} searched={of.searched} />}
      {of.choices.map((choice) => (
        <Select key={choice.param} {...choice} />
      ))}
      {names.some((name) => params[name]) && <Action kind="quiet" run={clear} text="Clear filters" />}
      <span class="spring" />
      <Count list={list} />
      {!of.hasNoExport && (
        <span class="soft">
          Export
          {['CSV', 'JSON'].map((format) => (
            <Action
              key={format}
              kind="quiet"
              label={`Export as ${format}`}
              run={() => saveExport(of.path, { ...query, format: format.toLowerCase() })}
              text={format}
            />
          ))}
        </span>
      )}
    </search>
  );
}

/** Saves a whole list, as the browser saves downloads. */
async function saveExport(path: string, query: Params): Promise<void> {
  const response = await api.open(`${path}/export`, query);
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name ?? 'export';
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Chooses a value of a parameter of the address. */
export function Select({ param, label, all, options }: Choice) {
  return (
    <select
      aria-label={label}
      value={place.value.params[param] ?? ''}
      onChange={(event) => setParams({ [param]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {Object.entries(options).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** How long to wait after a key press before searching, in ms. */
const typingMs = 250;

function SearchField({ text, searched }: { readonly text: string; readonly searched: string }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(text), [text]);
  const type = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setParams({ q: value.trim() }), typingMs);
  };
  return (
    <input
      type="search"
      aria-label={`Search ${searched}`}
      aria-keyshortcuts="/"
      placeholder={`Search ${searched} (/)`}
      value={typed}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}
