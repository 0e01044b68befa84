import { allOptional, anyText, whole } from '../schemas/kinds.js';
import { type ControlRoute, done, notFound, route } from './route.js';

/** What `POST /clients/{client_id}/listen` takes. */
export const listenBody = allOptional({
  secret: anyText("A secret of your own; by default the subscription's, else a new one."),
  url: anyText('The URL to show with each attempt.'),
});

export const relayRoutes: readonly ControlRoute[] = [
  route({
    method: 'POST',
    path: '/listen/{id}',
    summary:
      'Ends a delivery that came over POST /clients/{client_id}/listen, with the status of the receiver (and, where it is no 2xx, the beginning of its body) or an error.',
    body: allOptional({
      status: whole('must be an HTTP status from 200 to 599; without a response, send error', 200, 599),
      error: anyText(),
      body: anyText(),
    }),
    returns: done,
    handle: ({ relays, params, body: { status, error, body } }) => {
      const { id = '' } = params;
      const hasEnded = relays.end(id, { status, error, body });
      if (!hasEnded) throw notFound(`Delivery ${id} does not wait for a response: it took too long.`);
      return { ok: true };
    },
  }),
];
