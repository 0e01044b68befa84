import type { OrderInput } from './order.js';

/** Whether two orders buy the same thing, whatever the order of their fields. Fields that are undefined do not count. */
export const sameContent = (
  a: Pick<OrderInput, 'product' | 'params'>,
  b: Pick<OrderInput, 'product' | 'params'>,
): boolean => a.product === b.product && canonical(a.params) === canonical(b.params);

/** Parameters as JSON, in the order of their names. */
const canonical = (params: object): string =>
  JSON.stringify(
    Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
