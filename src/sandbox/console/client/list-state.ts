import type { ListPage } from './resources.js';

/** A list that grows while it is looked at, newest first. */
export interface ListState<T> {
  readonly rows: readonly T[];
  /** New items that wait, because the pointer or the focus is in the table: rows must not move under a click. */
  readonly waiting: readonly T[];
  /** The cursor of the next page; null when everything is shown. */
  readonly next: string | null;
  readonly loaded: boolean;
}

export type ListAction<T> =
  /** The first page replaces everything. */
  | { readonly type: 'loaded'; readonly page: ListPage<T> }
  /** An older page is added at the end. */
  | { readonly type: 'extended'; readonly page: ListPage<T> }
  /** An item changed, or is new; a new one waits while the list is held. */
  | { readonly type: 'changed'; readonly item: T; readonly isNew: boolean; readonly held: boolean }
  /** What waits is shown. */
  | { readonly type: 'released' };

export type IdOf<T> = (item: T) => string | number;

export const emptyList: ListState<never> = { rows: [], waiting: [], next: null, loaded: false };

/** A list with more new items than this is loaded anew instead, so that a busy sandbox does not fill the page. */
export const maxGrowth = 200;

export function listReducer<T>(state: ListState<T>, action: ListAction<T>, idOf: IdOf<T>): ListState<T> {
  switch (action.type) {
    case 'loaded':
      return { rows: action.page.data, waiting: [], next: action.page.next, loaded: true };
    case 'extended': {
      const known = new Set(state.rows.map(idOf));
      const older = action.page.data.filter((item) => !known.has(idOf(item)));
      return { ...state, rows: [...state.rows, ...older], next: action.page.next };
    }
    case 'changed':
      return changed(state, action, idOf);
    case 'released':
      return state.waiting.length === 0
        ? state
        : { ...state, rows: [...state.waiting, ...state.rows], waiting: [] };
  }
}

function changed<T>(
  state: ListState<T>,
  { item, isNew, held }: { readonly item: T; readonly isNew: boolean; readonly held: boolean },
  idOf: IdOf<T>,
): ListState<T> {
  const id = idOf(item);
  const isSame = (other: T) => idOf(other) === id;
  const replace = (items: readonly T[]) => items.map((other) => (isSame(other) ? item : other));
  if (state.rows.some(isSame)) return { ...state, rows: replace(state.rows) };
  if (state.waiting.some(isSame)) return { ...state, waiting: replace(state.waiting) };
  if (!isNew) return state;
  return held ? { ...state, waiting: [item, ...state.waiting] } : { ...state, rows: [item, ...state.rows] };
}
