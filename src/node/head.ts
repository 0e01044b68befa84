/** The head of a response. */
export interface Head {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turn, repeated headers included, as received. */
  readonly rawHeaders: readonly string[];
}

/** The `Headers` of a head, repeated ones kept. */
export function headersOf({ rawHeaders }: Head): Headers {
  const headers = new Headers();
  for (const [at, name] of rawHeaders.entries()) {
    if (at % 2 === 0) headers.append(name, rawHeaders[at + 1] ?? '');
  }
  return headers;
}
