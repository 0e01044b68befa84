import { assertOption, isWholeNumber } from '../../validation/options.js';
import { type ControlRoute, done, notFound, objectOf, schemas } from './route.js';

/** What `POST /clients/{client_id}/listen` takes. */
export const listenBody = objectOf({
  secret: {
    type: 'string',
    description: "A secret of your own; by default the subscription's, else a new one.",
  },
  url: { type: 'string', description: 'The URL to show with each attempt.' },
});

export const relayRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/listen/{id}',
    summary:
      'Ends a delivery that came over POST /clients/{client_id}/listen, with the status of the receiver (and, where it is no 2xx, the beginning of its body) or an error.',
    body: objectOf({
      status: { type: 'integer', minimum: 200, maximum: 599 },
      error: schemas.text,
      body: schemas.text,
    }),
    returns: done,
    handle: ({ relays, params, body: { status, error, body } }) => {
      assertOption(
        status === undefined || (isWholeNumber(status, 200) && Number(status) <= 599),
        'status',
        'must be an HTTP status from 200 to 599; without a response, send error',
      );
      const { id = '' } = params;
      const hasEnded = relays.end(id, {
        status: status === undefined ? undefined : Number(status),
        error: error === undefined ? undefined : String(error),
        body: body === undefined ? undefined : String(body),
      });
      if (!hasEnded) throw notFound(`Delivery ${id} does not wait for a response: it took too long.`);
      return { ok: true };
    },
  },
];
