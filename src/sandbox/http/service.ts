import { failure, type HttpResponse } from '../service/responses.js';
import { hostRefusal } from './guard.js';
import type { ServiceResponse } from './responses.js';
import type { RefusedRequest } from './serve.js';
import { BodyTooLarge, type Respond } from './server.js';

const tooLarge = failure(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');

/** Responds for the service over a port. What is refused here is in the log, too. */
export const createService =
  (handle: Respond, onRefused: (refused: RefusedRequest) => void, listenHost: string): Respond =>
  async (request, address) => {
    const { method, url } = request;
    const refuse = (response: HttpResponse): ServiceResponse => {
      onRefused({ method, url, address, response });
      return { ...response, headers: { ...response.headers, connection: 'close' } };
    };
    const wrongHost = hostRefusal(request, listenHost);
    if (wrongHost !== undefined) return refuse(failure(403, 'GATEWAY_ERROR', wrongHost));
    try {
      return await handle(request, address);
    } catch (error) {
      if (error instanceof BodyTooLarge) return refuse(tooLarge);
      throw error;
    }
  };
