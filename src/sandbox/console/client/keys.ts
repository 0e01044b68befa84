import { setParams } from './context.js';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null;

/** Goes a row up or down; an open drawer follows. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('a.row')];
  // The row that has the focus, else the one that is open.
  const focused = rows.findIndex((row) => row.matches(':focus'));
  const at = focused < 0 ? rows.findIndex((row) => row.matches('[aria-current]')) : focused;
  const next = rows[at < 0 ? 0 : at + by];
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
  const open = new URLSearchParams(next.hash.split('?')[1]).get('open');
  if (document.querySelector('.drawer') && open !== null) setParams({ open });
}

/** Closes the drawer, and gives the focus back to the row that was open in it. */
export function closeDrawer(): void {
  const row = document.querySelector<HTMLElement>('a.row[aria-current]');
  setParams({ open: undefined });
  row?.focus();
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>('input[type="search"]');
  field?.focus();
  field?.select();
}

/** `/` searches, `j` and `k` go down and up, Enter opens a row, Esc closes what is open. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (key === 'Escape' && !document.querySelector('dialog[open]')) {
      if (document.querySelector('.drawer')) closeDrawer();
      else if (isTyping(target)) (target as HTMLElement).blur();
    }
    if (isTyping(target)) return;
    if (key === '/') {
      event.preventDefault();
      search();
    } else if (key === 'j') step(1);
    else if (key === 'k') step(-1);
    else if (key === 'Enter' && target === document.body)
      document.querySelector<HTMLElement>('a.row')?.click();
  });
}
