import type { ComponentChildren, ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { openLink, place, setParams } from './context.js';
import type { Params } from './location.js';
import { moreRows, type Shown, useRows } from './rows.js';
import { Action } from './widgets.js';

/** A list with its filters and its table, whose rows open in the drawer. The filters are part of the address, so that they last over a reload. */

/** The class of its cells, by which the stylesheet knows the column; its head; what is in a cell. */
type Column<T> = readonly [area: string, head: string, cell: (item: T) => ComponentChildren];

/** A choice among the values of one parameter. */
interface Choice {
  readonly param: string;
  readonly label: string;
  /** The label of no choice. */
  readonly all: string;
  readonly options: Readonly<Record<string, string>>;
}

/** One kind of list: what it shows, how it is filtered, and what opens from it. */
export interface ListKind<T> {
  /** The caption of the table. */
  readonly name: string;
  /** The class that the stylesheet knows the list by. */
  readonly kind: string;
  /** Where the control API has it. */
  readonly path: string;
  readonly idOf: (item: T) => string;
  /** What its row opens; undefined for a row that opens nothing. */
  readonly opens: (item: T) => string | undefined;
  /** What a row is called, for those who hear it. */
  readonly titleOf: (item: T) => string;
  /** The first one holds the link that opens the row. */
  readonly columns: readonly Column<T>[];
  /** What can be searched; undefined for a list that cannot be. */
  readonly searched?: string;
  readonly choices: readonly Choice[];
  /** The filter of the client does not apply. */
  readonly isOfOneClient?: boolean;
  /** Shown in place of an empty table. */
  readonly empty: string;
  readonly Detail: ComponentType<{ readonly id: string }>;
}

interface ListTabProps<T> {
  readonly of: ListKind<T>;
  /** Further actions beside the filters. */
  readonly actions?: ComponentChildren;
}

export function ListTab<T>({ of, actions }: ListTabProps<T>) {
  const { params } = place.value;
  const { open } = params;
  const names = of.choices.map(({ param }) => param);
  if (of.searched) names.push('q');
  if (!of.isOfOneClient) names.push('client');
  const query = Object.fromEntries(names.map((name) => [name, params[name]]));
  const isFiltered = Object.values(query).some(Boolean);
  const rows = useRows(of, query);
  const { shown, isStale } = rows;
  // What the drawer shows is brought into sight.
  useEffect(() => {
    if (open !== undefined) document.querySelector('tr.open')?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  const isEmpty = shown?.total === 0;
  return (
    <>
      <div class={`tab ${of.kind}`}>
        <Filters of={of} query={query} shown={shown} actions={actions} />
        {shown === undefined || isEmpty ? (
          <p class="soft">
            {isEmpty ? (isFiltered ? 'Nothing matches these filters.' : of.empty) : 'Loading…'}
          </p>
        ) : (
          <div class={isStale ? 'list stale' : 'list'} onPointerMove={rows.hold} aria-busy={isStale}>
            <Table of={of} shown={shown} />
            {shown.rows.length < shown.total && (
              <footer class="bar pager">
                <Count shown={shown} />
                <Action run={rows.showMore} text={`Show ${moreRows} more`} />
              </footer>
            )}
          </div>
        )}
      </div>
      {open !== undefined && <of.Detail key={open} id={open} />}
    </>
  );
}

interface FiltersProps<T> {
  readonly of: ListKind<T>;
  readonly query: Params;
  readonly shown: Shown<T> | undefined;
  readonly actions: ComponentChildren;
}

function Filters<T>({ of, query, shown, actions }: FiltersProps<T>) {
  const names = [...Object.keys(query), 'client'];
  const clear = () => setParams(Object.fromEntries(names.map((name) => [name, ''])));
  return (
    <search class="bar filters">
      {of.searched && <SearchField text={query['q'] ?? ''} searched={of.searched} />}
      {of.choices.map((choice) => (
        <Select key={choice.param} {...choice} />
      ))}
      {names.some((name) => query[name]) && <Action kind="quiet" run={clear} text="Clear filters" />}
      <span class="spring" />
      <Count shown={shown} />
      {actions}
    </search>
  );
}

/** How much of a list is shown: `50 of 5,050`. */
function Count({ shown }: { readonly shown: Shown<unknown> | undefined }) {
  const count = shown && `${shown.rows.length.toLocaleString('en')} of ${shown.total.toLocaleString('en')}`;
  return <span class="soft count">{count}</span>;
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

interface TableProps<T> {
  readonly of: ListKind<T>;
  readonly shown: Shown<T>;
}

function Table<T>({ of, shown }: TableProps<T>) {
  return (
    <table aria-rowcount={shown.total + 1}>
      <caption>{of.name}</caption>
      <thead>
        <tr>
          {of.columns.map(([area, head]) => (
            <th key={area} scope="col" class={area}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.rows.map((item) => (
          <Row key={of.idOf(item)} item={item} of={of} />
        ))}
      </tbody>
    </table>
  );
}

function Row<T>({ item, of }: { readonly item: T; readonly of: ListKind<T> }) {
  const id = of.opens(item);
  const isOpen = id !== undefined && place.value.params['open'] === id;
  const open = ({ target, currentTarget }: JSX.TargetedMouseEvent<HTMLElement>) => {
    const isOther = target instanceof Element && target.closest('a, button');
    if (!isOther && String(getSelection()) === '') currentTarget.querySelector<HTMLElement>('a.row')?.click();
  };
  return (
    // The link in it is there for the keyboard.
    <tr class={isOpen ? 'open' : undefined} onClick={open}>
      {of.columns.map(([area, , cell], at) => (
        <td key={area} class={area}>
          {at === 0 && id !== undefined ? (
            <a class="row" href={openLink(id)} aria-current={isOpen ? 'true' : undefined}>
              {cell(item)}
              <span class="unseen"> {of.titleOf(item)}</span>
            </a>
          ) : (
            cell(item)
          )}
        </td>
      ))}
    </tr>
  );
}
