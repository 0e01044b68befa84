import {
  flag,
  instance,
  longestTimerMs,
  type OptionShape,
  oneOf,
  optional,
  optionsOf,
  parseOptions,
  signal,
  text,
  wholeNumber,
  withDefault,
} from '../validation/options.js';
import { nairaOf } from './decide.js';
import { type FinalOrderState, finalStates, type OrderState, orderStates } from './states.js';
import type { OrderQuery, StatsQuery, TimeRange } from './store.js';
import { isTimeZone } from './time-zone.js';

/** Options for `orders.place`. */
export interface PlaceOptions<Client> {
  /** Store the order in your transaction, together with what belongs to it. Default: one of its own. */
  readonly client?: Client | undefined;
  /** Who the order is for, such as the id of your customer. It tells apart equal orders of two customers. Default: nobody. */
  readonly customer?: string | undefined;
  /** ms within which the same may not be placed again. Default: the `duplicateWithin` of `createOrders`. */
  readonly duplicateWithin?: number | undefined;
  /** Places the order even though the same was placed within `duplicateWithin`: the customer wants it twice. Default false. */
  readonly allowDuplicate?: boolean | undefined;
  /** ms after which the order is no longer bought, if it was certainly never charged. Default: the `expireAfter` of `createOrders`. */
  readonly expireAfter?: number | undefined;
}

/** Options for `orders.list`. */
export interface ListOrders extends Omit<OrderQuery, 'limit'> {
  /** At most so many. Default 50. */
  readonly limit?: number | undefined;
}

/** The decision of a person about an order in review. */
export interface ResolveOrder {
  /** How the order ends: its hook runs as usual. */
  readonly as: FinalOrderState;
  /** Why: written into the history. */
  readonly note: string;
  /** The reference of the transaction, where the order does not have it. */
  readonly reference?: string | undefined;
  /** NGN that left the wallet. */
  readonly amountCharged?: number | undefined;
  /** The token or PIN that was delivered: the hook gets it, and it is stored as the options of `createOrders` say. */
  readonly token?: string | undefined;
}

/** Options for `orders.cancel`. */
export interface CancelOrder {
  /** Why: written into the history. */
  readonly note?: string | undefined;
}

/** Options for `orders.start`. */
export interface StartOrders {
  /** Stops the worker as `stop` does. */
  readonly signal?: AbortSignal | undefined;
}

/** A whole number of ms that a timer can hold. */
export const wholeMs = () => wholeNumber(1, longestTimerMs);

/** A valid Date. */
export const date = () =>
  instance<Date>((value) => value instanceof Date && !Number.isNaN(value.getTime()), 'must be a valid Date');

/** The name of a time zone. */
export const timeZone = () => instance<string>(isTimeZone, 'must be a time zone, such as Africa/Lagos');

const note = () => instance<string>((value) => typeof value === 'string', 'must be a text for the history');

const range = { since: optional(date()), until: optional(date()) } satisfies OptionShape<TimeRange>;

/** Reads the options of `place`. The schema is made once for all calls, because that takes longer than many readings. */
export function placeOptionsReader<Client>(): (
  given: PlaceOptions<Client> | undefined,
) => PlaceOptions<Client> {
  const schema = optionsOf({
    client: optional(
      instance<Client>(
        (value) => typeof value === 'object' && value !== null,
        'must be the client of your transaction',
      ),
    ),
    customer: optional(text(', such as the id of your customer')),
    duplicateWithin: optional(wholeMs()),
    allowDuplicate: optional(flag()),
    expireAfter: optional(wholeMs()),
  } satisfies OptionShape<PlaceOptions<Client>>);
  return (given) => parseOptions(schema, given, { owner: 'orders.place' });
}

const listSchema = optionsOf({
  ...range,
  state: optional(oneOf<OrderState>(orderStates)),
  run: optional(text()),
  recipient: optional(text()),
  reference: optional(text()),
  settled: optional(optionsOf(range)),
  limit: withDefault(wholeNumber(1), 50),
  after: optional(
    instance<NonNullable<OrderQuery['after']>>(
      (value) => typeof value === 'object' && value !== null && 'id' in value && 'createdAt' in value,
      'must be the last order of the page before',
    ),
  ),
} satisfies OptionShape<ListOrders>);

const statsSchema = optionsOf({
  ...range,
  run: optional(text()),
  timeZone: optional(timeZone()),
} satisfies OptionShape<StatsQuery>);

const resolveSchema = optionsOf({
  as: oneOf<FinalOrderState>(finalStates),
  note: note(),
  reference: optional(text()),
  amountCharged: optional(
    instance<number>(
      (value) => nairaOf(value) === value && Number(value) >= 0,
      'must be NGN with at most two decimals',
    ),
  ),
  token: optional(text()),
} satisfies OptionShape<ResolveOrder>);

const cancelSchema = optionsOf({ note: optional(note()) } satisfies OptionShape<CancelOrder>);
const startSchema = optionsOf({ signal: optional(signal()) } satisfies OptionShape<StartOrders>);

/** The options of the other calls on orders, checked: a misspelt one is refused by its name. */
export const checkedCall = {
  list: (given: ListOrders | undefined) => parseOptions(listSchema, given, { owner: 'orders.list' }),
  stats: (given: StatsQuery | undefined) => parseOptions(statsSchema, given, { owner: 'orders.stats' }),
  resolve: (given: ResolveOrder) => parseOptions(resolveSchema, given, { owner: 'orders.resolve' }),
  cancel: (given: CancelOrder | undefined) => parseOptions(cancelSchema, given, { owner: 'orders.cancel' }),
  start: (given: StartOrders | undefined) => parseOptions(startSchema, given, { owner: 'orders.start' }),
};
