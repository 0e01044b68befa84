import { type OperationName, operations } from '../../contract/operations.js';
import { products } from '../../contract/vocabulary.js';
import { isRecord } from '../../utils/is-record.js';
import type { SandboxRequest } from '../records/request-log.js';
import { isOperationName } from '../rules/routes.js';
import { allOptional, anyText, kind, wordOf } from '../schemas/kinds.js';
import { equal, given, search } from './filters.js';
import { listRoutes } from './lists.js';
import * as resources from './resources.js';
import { type ControlCall, ControlProblem, type ControlRoute, found, route } from './route.js';
import { sendAgain, sendCall } from './send.js';
import { fieldOf, requestDetail, requestView } from './views.js';

/** The requests that reached the service. */

const requestOf = ({ sandbox, param }: ControlCall): SandboxRequest =>
  found(
    sandbox.request(Number(param('id'))),
    `Request ${param('id')} is not in the log: it keeps at least the last 10,000, or 16 MiB of bodies.`,
  );

/** A request that was sent; it is missing only where the sandbox was reset or closed meanwhile. */
function shown(sent: SandboxRequest | undefined): unknown {
  if (sent) return requestDetail(sent);
  throw new ControlProblem(409, 'Not finished', 'The sandbox was reset while the request was under way.');
}

export const requestRoutes: readonly ControlRoute[] = [
  ...listRoutes<SandboxRequest>('/requests', {
    what: 'the requests that reached the service; at least the last 10,000 are kept, or 16 MiB of bodies',
    filters: {
      client: equal(anyText(), ({ clientId }) => clientId),
      operation: equal(anyText('Such as airtime.purchase.'), ({ operation }) => operation),
      product: equal(wordOf(products), ({ operation }) => operation?.split('.')[0]),
      status: {
        schema: anyText('The HTTP status or its beginning: 422, 5, or none.'),
        asksFor:
          (wanted) =>
          ({ response }) =>
            String(response?.status ?? 'none').startsWith(wanted),
      },
      reference: equal(anyText(), ({ reference }) => reference),
      warnings: given('requests with warnings', ({ warnings }) => warnings.length > 0),
      q: search(
        'in the path, operation, key, reference, recipient, amount or body',
        ({ path, operation, idempotency_key, reference, body }) => ({
          texts: [path, operation, idempotency_key, reference, JSON.stringify(body)],
          recipient: fieldOf(body, 'recipient'),
          amount: fieldOf(body, 'amount'),
        }),
      ),
    },
    item: resources.request,
    items: ({ sandbox }) => sandbox.requests,
    first: ({ requests }) => requests[0]?.id ?? 0,
    show: requestView,
  }),
  route('POST /requests', {
    summary:
      "Sends a call to the service in the name of a client, with its secret key (default: the default client's). Returns the request.",
    body: {
      operation: kind<OperationName>(
        isOperationName,
        `must be one of ${Object.keys(operations).join(', ')}`,
        { enum: Object.keys(operations) },
      ),
      ...allOptional({
        params: kind<Readonly<Record<string, unknown>>>(
          isRecord,
          "must be an object with the call's fields",
          {
            type: 'object',
            description: "The call's fields; a purchase without an idempotency_key gets a new one.",
          },
        ),
        client_id: kind<string>((value) => typeof value === 'string', 'must be the id of a client', {
          type: 'string',
        }),
      }),
    },
    returns: resources.requestDetail,
    handle: async (call) => {
      const { operation, params = {}, client_id } = call.body;
      return shown(await sendCall(call, call.sandbox.client(client_id), operation, params));
    },
  }),
  route('GET /requests/{id}', {
    summary: 'One request with its headers, its body and the response.',
    returns: resources.requestDetail,
    handle: (call) => requestDetail(requestOf(call)),
  }),
  route('POST /requests/{id}/send', {
    summary:
      'Sends a request again, with the same body and so under the same idempotency key. Returns the new request.',
    returns: resources.requestDetail,
    handle: async (call) => shown(await sendAgain(call, requestOf(call))),
  }),
];
