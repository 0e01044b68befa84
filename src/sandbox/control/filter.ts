/** How lists are filtered. */

/** Whether every value that the query names is the wanted one. */
export function hasValues(
  query: Readonly<Record<string, string | undefined>>,
  values: Readonly<Record<string, string | null | undefined>>,
): boolean {
  for (const [name, value] of Object.entries(values)) {
    const wanted = query[name];
    if (wanted !== undefined && wanted !== value) return false;
  }
  return true;
}

/** Whether a request's status begins with the wanted digits; `none` stands for a request without a response. */
export const hasStatus = (wanted: string | undefined, status: number | null | undefined): boolean =>
  wanted === undefined || String(status ?? 'none').startsWith(wanted);

/** Whether an operation such as `tv.validate` belongs to a product family. */
export const isOfProduct = (wanted: string | undefined, operation: string | null | undefined): boolean =>
  wanted === undefined || operation?.split('.')[0] === wanted;
