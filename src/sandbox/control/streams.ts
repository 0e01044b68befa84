import * as z from 'zod/mini';
import { allOptional, anyText, whole, withoutUndefined } from '../schemas/kinds.js';
import { clientOf } from './clients.js';
import { respondWithEvents } from './event-stream.js';
import { sendActivities } from './events.js';
import { ControlProblem, type ControlRoute, route } from './route.js';

/** What is sent as it happens: everything, or the webhooks of one client. */
export const streamRoutes: readonly ControlRoute[] = [
  route('GET /events', {
    summary: 'What happens from now on, as server-sent events named after the kind of activity.',
    query: allOptional({
      client: anyText('Only what belongs to this client, or to none.'),
      summary: anyText(
        'Given with any value: also an event `summary` at the start, and at most twice a second after a change.',
      ),
    }),
    returns: z.string(),
    stream: true,
    handle: ({ context, sandbox, query }) =>
      respondWithEvents(context, (send) =>
        sendActivities(sandbox, send, {
          clientId: query.client,
          withSummary: query.summary !== undefined,
        }),
      ),
  }),
  route('POST /clients/{client_id}/listen', {
    summary:
      "Receives a client's webhooks as server-sent events until the connection closes, in place of its subscription. The first event, `ready`, has the secret; `delivery` has an id, the headers and the exact body.",
    body: allOptional({
      secret: anyText("A secret of your own; by default the subscription's, else a new one."),
      url: anyText('The URL to show with each attempt.'),
    }),
    returns: z.string(),
    stream: true,
    handle: (call) => {
      const { clientId } = clientOf(call);
      const options = withoutUndefined({ ...call.body, clientId });
      return respondWithEvents(call.context, (send) => call.forwarded.open(call.sandbox, send, options));
    },
  }),
  route('POST /listen/{id}', {
    summary:
      'Ends a delivery that came over POST /clients/{client_id}/listen, with the status of the receiver (and, where it is no 2xx, the beginning of its body) or an error.',
    body: allOptional({
      status: whole('must be an HTTP status from 200 to 599; without a response, send error', 200, 599),
      error: anyText(),
      body: anyText(),
    }),
    handle: ({ forwarded, param, body }) => {
      if (forwarded.end(param('id'), body)) return;
      throw new ControlProblem(
        404,
        'Not found',
        `Delivery ${param('id')} does not wait for a response: it took too long.`,
      );
    },
  }),
];
