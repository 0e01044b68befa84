/** The second argument of a handler. */
export interface WebhookContext {
  /** The event's key in the de-duplication store, for `postgresDedupe(...).withTransaction(client).done(key)`. */
  readonly key: string;
}

/** Handles one event, once. When it throws, the service delivers the event again; a `RetryLaterError` says that this is expected. */
export type WebhookEventHandler<Event> = (event: Event, context: WebhookContext) => unknown;
