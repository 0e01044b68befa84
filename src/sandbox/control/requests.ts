import { operations } from '../../contract/operations.js';
import { products } from '../../contract/vocabulary.js';
import { isRecord } from '../../utils/is-record.js';
import { assertOption } from '../../validation/options.js';
import type { SandboxRequest } from '../service/request-log.js';
import { isOperationName } from '../service/routes.js';
import { requestFilter } from './lists.js';
import { pageOf, pageQuery } from './paging.js';
import {
  type ControlCall,
  ControlProblem,
  type ControlRoute,
  listOf,
  notFound,
  objectOf,
  oneOf,
  reference,
  schemas,
} from './route.js';
import { sendAgain, sendCall } from './send.js';
import { requestDetail, requestView } from './views.js';

/** The requests that reached the service. */

const requestOf = ({ sandbox, params }: ControlCall): SandboxRequest => {
  const request = sandbox.request(Number(params['id']));
  if (!request)
    throw notFound(
      `Request ${params['id']} is not in the log: it keeps at least the last 10,000, or 16 MiB of bodies.`,
    );
  return request;
};

/** A request that was sent; it is missing only where the sandbox was reset or closed meanwhile. */
function shown(sent: SandboxRequest | undefined): unknown {
  if (sent) return requestDetail(sent);
  throw new ControlProblem(409, 'Not finished', 'The sandbox was reset while the request was under way.');
}

export const requestRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/requests',
    summary:
      'Lists the requests that reached the service; at least the last 10,000 are kept, or 16 MiB of bodies.',
    query: {
      client: schemas.text,
      operation: { type: 'string', description: 'Such as airtime.purchase.' },
      product: oneOf(...products),
      status: { type: 'string', description: 'The HTTP status or its beginning: 422, 5, or none.' },
      reference: schemas.text,
      warnings: { type: 'string', description: 'Given with any value: only requests with warnings.' },
      q: {
        type: 'string',
        description:
          'Words that are all found in it: in the path, operation, key, reference, recipient, amount or body.',
      },
      ...pageQuery,
    },
    returns: listOf('Request'),
    handle: ({ sandbox, query }) =>
      pageOf({
        items: sandbox.requests,
        first: sandbox.requests[0]?.id ?? 0,
        query,
        matches: requestFilter(query),
        show: requestView,
      }),
  },
  {
    method: 'POST',
    path: '/requests',
    summary:
      "Sends a call to the service in the name of a client, with its secret key (default: the default client's). Returns the request.",
    body: objectOf(
      {
        operation: oneOf(...Object.keys(operations)),
        params: {
          type: 'object',
          description: "The call's fields; a purchase without an idempotency_key gets a new one.",
        },
        client_id: schemas.text,
      },
      ['operation'],
    ),
    returns: reference('RequestDetail'),
    handle: async (call) => {
      const { operation, params = {}, client_id } = call.body;
      assertOption(
        isOperationName(operation),
        'operation',
        `must be one of ${Object.keys(operations).join(', ')}`,
      );
      assertOption(isRecord(params), 'params', "must be an object with the call's fields");
      assertOption(
        client_id === undefined || typeof client_id === 'string',
        'client_id',
        'must be the id of a client',
      );
      return shown(await sendCall(call, call.sandbox.client(client_id), operation, params));
    },
  },
  {
    method: 'GET',
    path: '/requests/{id}',
    summary: 'One request with its headers, its body and the response.',
    returns: reference('RequestDetail'),
    handle: (call) => requestDetail(requestOf(call)),
  },
  {
    method: 'POST',
    path: '/requests/{id}/send',
    summary:
      'Sends a request again, with the same body and so under the same idempotency key. Returns the new request.',
    returns: reference('RequestDetail'),
    handle: async (call) => shown(await sendAgain(call, requestOf(call))),
  },
];
