/**
 * Where on the page one is, as the fragment of the address: `#requests?client=shop-a&q=order-1&open=7`. No secret is ever part of it.
 */

export const tabs = [
  { name: 'transactions', title: 'Transactions' },
  { name: 'webhooks', title: 'Webhooks' },
  { name: 'requests', title: 'Requests' },
  { name: 'wallet', title: 'Wallet' },
  { name: 'faults', title: 'Faults and clock' },
  { name: 'clients', title: 'Clients' },
] as const;

export type TabName = (typeof tabs)[number]['name'];

export type Params = Readonly<Record<string, string>>;

export interface Place {
  readonly tab: TabName;
  /** Search text, filters and `open`, what the drawer shows. `client` stays when the tab changes; the others belong to their tab. */
  readonly params: Params;
}

export function parsePlace(fragment: string): Place {
  const [name = '', query = ''] = fragment.replace(/^#/, '').split('?');
  const tab = tabs.find((one) => one.name === name)?.name ?? 'transactions';
  // An empty parameter is the same as none, so that no reader of the parameters has to tell them apart.
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '');
  return { tab, params: Object.fromEntries(given) };
}

/** The fragment of a place; empty parameters are left out. */
export function placeLink(tab: TabName, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(given).toString();
  return query === '' ? `#${tab}` : `#${tab}?${query}`;
}
