import { useEffect, useRef, useState } from 'preact/hooks';
import { productNames } from '../../words/words.js';
import { setParams, useSession } from './context.js';
import type { Params } from './location.js';
import { Count } from './table.js';
import type { List } from './use-list.js';
import { Action, saveFile } from './widgets.js';

type Choices = readonly (readonly [value: string, label: string])[];

export interface Choice {
  readonly param: string;
  readonly label: string;
  readonly options: Choices;
}

export interface FilterProps<T> {
  readonly params: Params;
  /** What can be searched; undefined for a list that cannot be. */
  readonly placeholder?: string;
  /** Further filters by the name of their parameter. */
  readonly choices: readonly Choice[];
  readonly list: List<T>;
  /** Where the whole list comes from as a file, with its filters. */
  readonly download?: { readonly path: string; readonly query: Readonly<Record<string, string | undefined>> };
}

export const productChoices: Choice = {
  param: 'product',
  label: 'Product',
  options: [['', 'All products'], ...Object.entries(productNames)] as Choices,
};

/** How long to wait after a key press before searching, in ms. */
const typingMs = 250;

/** Search, filters, count and export of a list. The filters are part of the address, so that they last over a reload. */
export function Filters<T>({ params, placeholder, choices, list, download }: FilterProps<T>) {
  const names = ['q', 'client', ...choices.map(({ param }) => param)];
  const isFiltered = names.some((name) => params[name]);
  return (
    <search class="filters">
      {placeholder !== undefined && <SearchField text={params['q'] ?? ''} placeholder={placeholder} />}
      {choices.map(({ param, label, options }) => (
        <select
          key={param}
          aria-label={label}
          value={params[param] ?? ''}
          onChange={(event) => setParams({ [param]: event.currentTarget.value })}
        >
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ))}
      {isFiltered && (
        <button
          type="button"
          class="quiet"
          onClick={() => setParams(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          Clear filters
        </button>
      )}
      <span class="spring" />
      <Count list={list} />
      {download && <Export {...download} />}
    </search>
  );
}

function Export({ path, query }: NonNullable<FilterProps<unknown>['download']>) {
  const { api } = useSession();
  const save = (format: 'csv' | 'json') => async () => {
    const response = await api.open(path, { ...query, format });
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    saveFile(name ?? `export.${format}`, await response.blob());
  };
  return (
    <span class="export">
      Export
      {(['csv', 'json'] as const).map((format) => (
        <Action key={format} kind="quiet" label={`Export as ${format.toUpperCase()}`} run={save(format)}>
          {format.toUpperCase()}
        </Action>
      ))}
    </span>
  );
}

function SearchField({ text, placeholder }: { readonly text: string; readonly placeholder: string }) {
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
      aria-label={`Search ${placeholder}`}
      aria-keyshortcuts="/"
      placeholder={`Search ${placeholder} (/)`}
      value={typed}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}
