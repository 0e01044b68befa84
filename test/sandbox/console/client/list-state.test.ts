import { describe, expect, test } from 'vitest';
import {
  emptyList,
  type ListAction,
  type ListState,
  listReducer,
} from '../../../../src/sandbox/console/client/list-state.js';

interface Item {
  readonly id: number;
  readonly state?: string;
}

const stateAfter = (...actions: readonly ListAction<Item>[]): ListState<Item> =>
  actions.reduce<ListState<Item>>(
    (state, action) => listReducer<Item>(state, action, ({ id }) => id),
    emptyList,
  );

const page = (ids: readonly number[], next: string | null = null) => ({
  data: ids.map((id) => ({ id })),
  next,
});
const loaded: ListAction<Item> = { type: 'loaded', page: page([2, 1], '7') };
const arrived = (id: number, held: boolean): ListAction<Item> => ({
  type: 'changed',
  item: { id },
  isNew: true,
  held,
});
const ids = (items: readonly Item[]) => items.map(({ id }) => id);

describe('a list that grows while it is looked at', () => {
  test('shows a new item on top, unless it is held: then the item waits', () => {
    expect(ids(stateAfter(loaded, arrived(3, false)).rows)).toEqual([3, 2, 1]);
    const held = stateAfter(loaded, arrived(3, true), arrived(4, true));
    expect(ids(held.rows)).toEqual([2, 1]);
    expect(ids(held.waiting)).toEqual([4, 3]);
    const released = stateAfter(loaded, arrived(3, true), arrived(4, true), { type: 'released' });
    expect([ids(released.rows), released.waiting]).toEqual([[4, 3, 2, 1], []]);
  });

  test('changes an item in its place, held or not, and also one that waits', () => {
    const changed = (id: number): ListAction<Item> => ({
      type: 'changed',
      item: { id, state: 'failed' },
      isNew: true,
      held: true,
    });
    expect(stateAfter(loaded, changed(1)).rows).toEqual([{ id: 2 }, { id: 1, state: 'failed' }]);
    const waiting = stateAfter(loaded, arrived(3, true), changed(3));
    expect([ids(waiting.rows), waiting.waiting]).toEqual([[2, 1], [{ id: 3, state: 'failed' }]]);
  });

  test('ignores a change of an item that it does not show', () => {
    const before = stateAfter(loaded);
    const same = listReducer<Item>(
      before,
      { type: 'changed', item: { id: 9 }, isNew: false, held: false },
      ({ id }) => id,
    );
    expect(same).toBe(before);
    expect(listReducer<Item>(before, { type: 'released' }, ({ id }) => id)).toBe(before);
  });

  test('is extended by an older page without repeating an item', () => {
    const extended = stateAfter(loaded, { type: 'extended', page: page([1, 0], null) });
    expect([ids(extended.rows), extended.next]).toEqual([[2, 1, 0], null]);
  });
});
