import type { Action, Block, Cell, Row, TableName, View } from './model.js';

/* v8 ignore start -- @preserve runs in the browser: the tests in Chromium hold it */

/**
 * The script of the page, as a function so that it is typed and linted. Its source is sent to the browser: it must not use anything
 * from outside itself. All text goes in as text, never as markup.
 */
export function consoleClient(): void {
  /** A row on the page: what it was made from, and the rows of the table that show it. */
  interface Shown {
    made: string;
    row: Row;
    readonly line: HTMLTableRowElement;
    readonly panel: HTMLTableRowElement;
    details: string;
    revealed: boolean;
  }

  const tables = new Map<string, Map<string, Shown>>();
  let source: EventSource | undefined;

  const find = <E extends HTMLElement>(id: string, kind: new () => E): E => {
    const element = document.getElementById(id);
    if (element instanceof kind) return element;
    throw new Error(`the page has no ${id}`);
  };

  const make = <K extends keyof HTMLElementTagNameMap>(
    tag: K,
    className: string,
    ...content: (Node | string)[]
  ): HTMLElementTagNameMap[K] => {
    const element = document.createElement(tag);
    if (className !== '') element.className = className;
    element.append(...content);
    return element;
  };

  const say = (message: string): void => {
    find('said', HTMLElement).textContent = message;
  };

  const ask = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(
      path,
      body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
    );
    if (!response.ok) throw new Error((await response.text()).trim());
    return response.json();
  };

  const copy = async (text: string): Promise<void> => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Without https or loopback there is no clipboard but this one.
    const field = make('textarea', '', text);
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  };

  const copyFrom = async (path: string): Promise<void> => {
    const answer = await ask(path);
    if (typeof answer !== 'object' || answer === null || !('text' in answer)) return;
    await copy(String(answer.text));
    say('Copied.');
  };

  /** Runs what a button is for, once at a time; it stays focusable meanwhile. */
  const run = async (button: HTMLElement, work: () => Promise<unknown>): Promise<void> => {
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    say('');
    try {
      await work();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    } finally {
      button.ariaDisabled = null;
    }
  };

  const actionButton = (action: Action, shown: Shown): HTMLButtonElement => {
    const button = make('button', '', action.label);
    button.type = 'button';
    const name = shown.row.cells[0]?.text ?? '';
    button.ariaLabel = `${action.label}: ${name}`;
    button.addEventListener('click', () =>
      run(button, async () => {
        if (action.does === 'post') {
          await ask(action.path, action.body);
          say(`${action.label}: done.`);
        } else if (action.does === 'copy') {
          await copyFrom(action.path);
        } else {
          shown.revealed = true;
          await open(shown, true);
        }
      }),
    );
    return button;
  };

  const badge = ({ text, tone }: Pick<Cell, 'text' | 'tone'>): Node | string =>
    tone === undefined ? text : make('span', `badge ${tone}`, text);

  const block = (part: Block, shown: Shown): HTMLElement => {
    const section = make('section', '', make('h3', '', part.title));
    if (part.facts) {
      const list = make('dl', '');
      for (const [name, value] of part.facts) list.append(make('dt', '', name), make('dd', '', value));
      section.append(list);
    }
    if (part.events) {
      const list = make('ol', '');
      for (const { at, text, tone } of part.events) {
        list.append(make('li', tone ?? '', make('time', '', at), make('span', '', text)));
      }
      section.append(part.events.length > 0 ? list : 'nothing yet');
    }
    if (part.code !== undefined) {
      const code = make('pre', '', part.code);
      code.tabIndex = 0;
      section.append(code);
    }
    if (part.actions?.length) {
      section.append(make('p', 'actions', ...part.actions.map((action) => actionButton(action, shown))));
    }
    return section;
  };

  /** Puts the focus back where it was, when what had it is made anew. */
  const keepFocus = (within: HTMLElement, renew: () => void): void => {
    const had = within.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
    renew();
    if (had === undefined) return;
    const buttons = [...within.querySelectorAll('button')];
    (buttons.find((button) => button.textContent === had) ?? buttons[0])?.focus();
  };

  const refresh = async (shown: Shown): Promise<void> => {
    if (shown.panel.hidden || shown.row.detail === undefined) return;
    const blocks = await ask(shown.row.detail + (shown.revealed ? '?reveal' : ''));
    const details = JSON.stringify(blocks);
    if (!Array.isArray(blocks) || details === shown.details) return;
    shown.details = details;
    keepFocus(shown.panel, () =>
      shown.panel.cells[0]?.replaceChildren(...blocks.map((part: Block) => block(part, shown))),
    );
  };

  const open = async (shown: Shown, isOpen: boolean): Promise<void> => {
    shown.panel.hidden = !isOpen;
    const disclosure = shown.line.querySelector('button');
    if (disclosure) disclosure.ariaExpanded = String(isOpen);
    shown.revealed &&= isOpen;
    await refresh(shown);
  };

  const disclosureFor = (shown: Shown, text: string): HTMLElement => {
    const button = make('button', 'disclosure', text);
    button.type = 'button';
    button.ariaExpanded = String(!shown.panel.hidden);
    button.setAttribute('aria-controls', shown.panel.id);
    button.addEventListener('click', () => run(button, () => open(shown, shown.panel.hidden !== false)));
    return button;
  };

  const fill = (shown: Shown, headings: readonly HTMLTableCellElement[]): void => {
    const { row, line } = shown;
    const cells = row.cells.map((cell, at) => {
      const content = at === 0 && row.detail !== undefined ? disclosureFor(shown, cell.text) : badge(cell);
      return make('td', headings[at]?.className ?? '', content);
    });
    if (row.actions.length > 0) {
      cells.push(make('td', 'actions', ...row.actions.map((action) => actionButton(action, shown))));
    } else if (headings.length > cells.length) {
      cells.push(make('td', 'actions'));
    }
    keepFocus(line, () => line.replaceChildren(...cells));
  };

  const show = (name: TableName, rows: readonly Row[], count: string): void => {
    const body = find(name, HTMLTableSectionElement);
    const headings = [...(body.closest('table')?.querySelectorAll('th') ?? [])];
    const before = tables.get(name) ?? new Map<string, Shown>();
    const after = new Map<string, Shown>();
    tables.set(name, after);
    find(`${name}-count`, HTMLElement).textContent = count === '0' ? '' : count;

    for (const row of rows) {
      let shown = before.get(row.key);
      before.delete(row.key);
      if (!shown) {
        const panel = make('tr', 'panel', make('td', ''));
        panel.id = `${name}-${row.key}`;
        panel.hidden = true;
        if (panel.cells[0]) panel.cells[0].colSpan = headings.length;
        shown = { made: '', row, line: make('tr', ''), panel, details: '', revealed: false };
      }
      after.set(row.key, shown);
      const made = JSON.stringify(row);
      if (made === shown.made) continue;
      shown.made = made;
      shown.row = row;
      fill(shown, headings);
    }
    for (const gone of before.values()) {
      gone.line.remove();
      gone.panel.remove();
    }
    // What is in its place already is not touched: moving an element would take the focus from it.
    let next: Element | null = body.firstElementChild;
    for (const { line, panel } of after.values()) {
      for (const element of [line, panel]) {
        if (element === next) next = next.nextElementSibling;
        else body.insertBefore(element, next);
      }
    }
    for (const shown of after.values()) refresh(shown).catch(() => undefined);
  };

  const showClients = (view: View): void => {
    const select = find('client', HTMLSelectElement);
    const made = JSON.stringify(view.clients);
    if (select.dataset['made'] !== made) {
      select.dataset['made'] = made;
      select.replaceChildren(...view.clients.map(({ id, label }) => new Option(label, id)));
    }
    select.value = view.client;
  };

  const showView = (view: View): void => {
    showClients(view);
    find('balance', HTMLElement).textContent = view.balance;
    find('subscription', HTMLElement).textContent = view.subscription;
    find('base-url', HTMLElement).textContent = view.baseUrl;
    find('clock', HTMLElement).hidden = view.manualTime === undefined;
    find('now', HTMLElement).textContent = view.manualTime ?? '';
    show('transactions', view.tables.transactions.rows, view.tables.transactions.count);
    show('deliveries', view.tables.deliveries.rows, view.tables.deliveries.count);
    show('requests', view.tables.requests.rows, view.tables.requests.count);
    show('ledger', view.tables.ledger.rows, view.tables.ledger.count);
    show('faults', view.tables.faults.rows, view.tables.faults.count);
  };

  const live = (isLive: boolean): void => {
    const mark = find('live', HTMLElement);
    mark.textContent = isLive ? 'live' : 'no connection, trying again';
    mark.className = isLive ? 'good' : 'bad';
  };

  const connect = (client: string): void => {
    source?.close();
    source = new EventSource(`/_console/events${client && `?client=${encodeURIComponent(client)}`}`);
    source.addEventListener('open', () => live(true));
    source.addEventListener('error', () => live(false));
    source.addEventListener('message', (event) => showView(JSON.parse(event.data)));
  };

  const onSubmit = (id: string, path: string): void => {
    const form = find(id, HTMLFormElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const button = event.submitter ?? form;
      const fields = Object.fromEntries(new FormData(form, event.submitter));
      void run(button instanceof HTMLElement ? button : form, () => ask(path, fields));
    });
  };

  onSubmit('fault-form', '/_console/fault');
  onSubmit('clock', '/_console/advance');
  const select = find('client', HTMLSelectElement);
  select.addEventListener('change', () => connect(select.value));
  for (const button of document.querySelectorAll('button')) {
    const path = button.dataset['copy'];
    if (path !== undefined) button.addEventListener('click', () => run(button, () => copyFrom(path)));
  }
  connect('');
}

/* v8 ignore stop -- @preserve */
