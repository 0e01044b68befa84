import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Pager } from './pager.js';
import { plural } from './text.js';
import type { List } from './use-list.js';

export interface Column<T> {
  readonly name: string;
  /** The cell's classes, which place it where the table is shown as cards, on a narrow screen. */
  readonly area: string;
  readonly cell: (item: T) => ComponentChildren;
}

interface TableProps<T> {
  readonly name: string;
  readonly list: List<T>;
  readonly idOf: (item: T) => string | number;
  /** The first one holds the button that opens the details. */
  readonly columns: readonly Column<T>[];
  readonly titleOf: (item: T) => string;
  readonly toneOf?: (item: T) => string | undefined;
  readonly actions: (item: T) => ComponentChildren;
  readonly details: (item: T) => ComponentChildren;
  /** The row that is open from the beginning. */
  readonly initiallyOpen?: string | undefined;
  /** Shown in place of an empty table. */
  readonly empty: ComponentChildren;
}

/**
 * A list as a table whose rows open. New rows wait behind a button while the pointer or the focus is in the table, so that no row
 * moves away from under a click.
 */
export function ListTable<T>({
  name,
  list,
  idOf,
  columns,
  titleOf,
  toneOf,
  actions,
  details,
  initiallyOpen,
  empty,
}: TableProps<T>) {
  const [open, setOpen] = useState<ReadonlySet<string | number>>(
    new Set(initiallyOpen === undefined ? [] : [initiallyOpen]),
  );
  useEffect(() => {
    if (initiallyOpen !== undefined) setOpen((before) => new Set([...before, initiallyOpen]));
  }, [initiallyOpen]);
  const holder = useHolder(list.hold);
  const toggle = (id: string | number) =>
    setOpen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));

  const table = useRef<HTMLDivElement>(null);
  const showWaiting = () => {
    // The button goes away with what waited: the focus moves on to what it has shown.
    list.showWaiting();
    requestAnimationFrame(() => table.current?.querySelector<HTMLElement>('.disclosure')?.focus());
  };

  if (!list.loaded) return <p class="empty">Loading…</p>;
  if (list.rows.length === 0 && list.waiting.length === 0) return <div class="empty">{empty}</div>;
  return (
    <div class="list" {...holder}>
      <div class="waiting" role="status">
        {list.waiting.length > 0 && (
          <button type="button" class="main" onClick={showWaiting}>
            {list.waiting.length} new
          </button>
        )}
      </div>
      <div class="table" ref={table}>
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              {columns.map(({ name: title, area }) => (
                <th key={title} scope="col" class={area}>
                  {title}
                </th>
              ))}
              <th scope="col" class="actions">
                Actions
              </th>
            </tr>
          </thead>
          <tbody>
            {list.rows.map((item) => {
              const id = idOf(item);
              const isOpen = open.has(id);
              return (
                <Fragment key={id}>
                  <tr class={toneOf?.(item)}>
                    {columns.map(({ name: title, area, cell }, at) => (
                      <td key={title} class={area}>
                        {at === 0 ? (
                          <button
                            type="button"
                            class="disclosure"
                            aria-expanded={isOpen}
                            aria-label={`Details of ${titleOf(item)}`}
                            onClick={() => toggle(id)}
                          >
                            {cell(item)}
                          </button>
                        ) : (
                          cell(item)
                        )}
                      </td>
                    ))}
                    <td class="actions">{actions(item)}</td>
                  </tr>
                  {isOpen && (
                    <tr class="details">
                      <td colSpan={columns.length + 1}>{details(item)}</td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
      <Pager list={list}>
        {plural(list.rows.length, 'row')}
        {list.next === null ? '' : ', there are more'}
      </Pager>
    </div>
  );
}

/** Tells whether the pointer or the focus is in an element. */
function useHolder(hold: (held: boolean) => void) {
  const inside = useRef({ pointer: false, focus: false });
  const set = (change: Partial<typeof inside.current>) => {
    Object.assign(inside.current, change);
    hold(inside.current.pointer || inside.current.focus);
  };
  return {
    onPointerEnter: () => set({ pointer: true }),
    onPointerLeave: () => set({ pointer: false }),
    onFocusIn: () => set({ focus: true }),
    // The focus that moves within the table has not left it.
    onFocusOut: ({ currentTarget, relatedTarget }: JSX.TargetedFocusEvent<HTMLElement>) =>
      set({ focus: relatedTarget instanceof Node && currentTarget.contains(relatedTarget) }),
  };
}
