/** Where on the page one is, as the fragment of the address: `#requests?client=shop-a&q=order-1&open=7`. */

export const tabs = {
  purchases: 'Purchases',
  webhooks: 'Webhooks',
  requests: 'Requests',
  wallet: 'Wallet',
  settings: 'Faults and clock',
} as const;

export type TabName = keyof typeof tabs;

export type Params = Readonly<Record<string, string | undefined>>;

export interface Place {
  readonly tab: TabName;
  /** Search text, filters and `open`, what the drawer shows. `client` stays when the tab changes; the others belong to their tab. */
  readonly params: Params;
}

export const tabNames = Object.keys(tabs) as readonly TabName[];

export function parsePlace(fragment: string): Place {
  const [name = '', query = ''] = fragment.replace(/^#/, '').split('?');
  // An empty parameter is the same as none, so that no reader of the parameters has to tell them apart.
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '');
  const tab = tabNames.find((one) => one === name) ?? 'purchases';
  return { tab, params: Object.fromEntries(given) };
}

/** A path with its query; empty parameters are left out. */
export function withQuery(path: string, params: Params): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(given).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The fragment of a place. */
export const placeLink = (tab: TabName, params: Params): string => withQuery(`#${tab}`, params);
