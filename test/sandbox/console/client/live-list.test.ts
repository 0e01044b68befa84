import { describe, expect, test } from 'vitest';
import { LiveList } from '../../../../src/sandbox/console/client/live-list.js';

interface Item {
  readonly id: number;
  readonly state?: string;
}

const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at);
const page = (ids: readonly number[], total: number | null, next: string | null = null) => ({
  data: ids.map((id) => ({ id })),
  total,
  next,
});

function listOf(ids: readonly number[], total: number | null = ids.length, next: string | null = null) {
  const list = new LiveList<Item>(({ id }) => id);
  list.load(page(ids, total, next));
  return list;
}

const shown = (list: LiveList<Item>) => list.state.value?.chunks.flat().map(({ id }) => id);
const waiting = (list: LiveList<Item>) => list.state.value?.waiting.map(({ id }) => id);
const totalOf = (list: LiveList<Item>) => list.state.value?.total;

describe('a list that grows while it is looked at', () => {
  test('shows a new item on top, unless it is held: then the item waits until the last reason is gone', () => {
    const list = listOf([2, 1]);
    list.change({ id: 3 }, true);
    expect(shown(list)).toEqual([3, 2, 1]);
    list.hold('pointer', true);
    list.hold('focus', true);
    list.change({ id: 4 }, true);
    list.hold('pointer', false);
    list.change({ id: 5 }, true);
    expect([shown(list), waiting(list)]).toEqual([
      [3, 2, 1],
      [5, 4],
    ]);
    expect([list.count, totalOf(list)]).toEqual([3, 5]);
    // Who asks for them sees them, and the list stays held.
    list.release();
    expect([shown(list), waiting(list)]).toEqual([[5, 4, 3, 2, 1], []]);
    list.change({ id: 6 }, true);
    expect(waiting(list)).toEqual([6]);
    list.hold('focus', false);
    expect([shown(list), waiting(list)]).toEqual([[6, 5, 4, 3, 2, 1], []]);
  });

  test('changes an item where it is, shown or waiting, and leaves out what does not belong to it', () => {
    const list = listOf([2, 1]);
    list.hold('open', true);
    list.change({ id: 3 }, true);
    for (const id of [1, 3]) list.change({ id, state: 'success' }, true);
    list.change({ id: 9 }, false);
    expect([shown(list), waiting(list)]).toEqual([[2, 1], [3]]);
    expect([list.state.value?.chunks[0]?.[1], list.state.value?.waiting[0]]).toEqual([
      { id: 1, state: 'success' },
      { id: 3, state: 'success' },
    ]);
    expect(totalOf(list)).toBe(3);
  });

  test('finds what is new in a first page that is read again: nothing that moved up from the next page', () => {
    const list = listOf([6, 5, 4], 5, '4');
    list.hold('filter', true);
    list.renew(page([8, 7, 6, 4, 3], 6, '3'));
    expect([shown(list), waiting(list), totalOf(list)]).toEqual([[6, 5, 4], [8, 7], 6]);
    list.renew(page([10, 9], null));
    expect([waiting(list), totalOf(list)]).toEqual([[10, 9, 8, 7], 8]);
  });

  test('a connection that came back moves nothing while the list is held, and changes what is shown', () => {
    const list = listOf([3, 2, 1]);
    list.hold('open', true);
    list.refresh({ data: [{ id: 4 }, { id: 3 }, { id: 2, state: 'success' }], total: 4, next: '2' });
    expect([shown(list), waiting(list), totalOf(list)]).toEqual([[3, 2, 1], [4], 4]);
    expect(list.state.value?.chunks[0]?.[1]).toEqual({ id: 2, state: 'success' });
    // After a reset, or too many new ones, there is nothing to hold.
    list.refresh(page([1000, 999], 50, '999'));
    expect([shown(list), waiting(list), list.state.value?.next]).toEqual([[1000, 999], [], '999']);
    list.hold('open', false);
    list.refresh(page([1001, 1000], 51, '1000'));
    expect(shown(list)).toEqual([1001, 1000]);
  });

  test('takes an older page at the end, without what it has already', () => {
    const list = listOf([4, 3], 4, '3');
    list.extend(page([3, 2, 1], null, null));
    expect(shown(list)).toEqual([4, 3, 2, 1]);
    expect([totalOf(list), list.state.value?.next, list.count]).toEqual([4, null, 4]);
  });

  test('a first page replaces everything', () => {
    const list = listOf([2, 1]);
    list.hold('open', true);
    list.change({ id: 3 }, true);
    list.load(page([9], null, null));
    expect([shown(list), waiting(list), totalOf(list)]).toEqual([[9], [], 1]);
  });

  test('begins with the first item of an empty list', () => {
    const list = new LiveList<Item>(({ id }) => id);
    expect(list.state.value).toBe(undefined);
    // It is not known yet what the list holds.
    list.change({ id: 1 }, true);
    expect([list.state.value, list.count]).toEqual([undefined, 0]);
    list.load(page([], 0));
    list.change({ id: 1 }, true);
    expect(shown(list)).toEqual([1]);
  });
});

test('a change touches its own chunk, and a new row the first one, however long the list is', () => {
  const list = listOf(range(5050, 5001), 5050, '5000');
  for (let from = 5000; from > 0; from -= 50) list.extend(page(range(from, from - 49), null, null));
  const changedBy = (change: () => void) => {
    const before = list.state.value?.chunks ?? [];
    change();
    return list.state.value?.chunks.flatMap((chunk, at) => (chunk === before[at] ? [] : [at]));
  };
  expect(changedBy(() => list.change({ id: 77, state: 'failed' }, false))).toEqual([99]);
  expect(changedBy(() => list.change({ id: 5051 }, true))).toEqual([0]);
  expect(shown(list)).toEqual(range(5051, 1));
});
