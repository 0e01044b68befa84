import { CommandError, exitCodes } from '../../cli/program.js';
import { isRecord } from '../../utils/is-record.js';

/** Calls the control API of a running sandbox. */
export class ControlClient {
  readonly origin: string;
  readonly #token: string | undefined;

  /** @param origin - such as `http://127.0.0.1:4010`. */
  constructor(origin: string, token: string | undefined) {
    this.origin = origin;
    this.#token = token;
  }

  /** The JSON value of a call; `CommandError` with the sandbox's own sentence where it refuses. */
  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.open(method, path, body);
    // The control API is described by its OpenAPI document; each caller names the fields that it reads.
    return (await response.json()) as T;
  }

  /** The response of a call that succeeded, with its body unread. */
  async open(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${this.origin}/_sandbox${path}`, {
        method,
        headers: this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new CommandError(
        exitCodes.unreachable,
        `no sandbox responds at ${this.origin}: start one with npx billpay sandbox, or name another with --url`,
      );
    }
    if (response.ok) return response;
    throw await refusal(this.origin, response);
  }
}

async function refusal(origin: string, response: Response): Promise<CommandError> {
  const problem: unknown = await response.json().catch(() => undefined);
  if (!isRecord(problem) || typeof problem['detail'] !== 'string') {
    return new CommandError(
      exitCodes.unreachable,
      `what responds at ${origin} is not a billpay sandbox of this version (status ${response.status})`,
    );
  }
  if (response.status === 401) {
    return new CommandError(
      exitCodes.failed,
      `the sandbox at ${origin} needs its control token, which it printed at its start: --control-token TOKEN, or the variable BILLPAY_SANDBOX_TOKEN`,
    );
  }
  return new CommandError(exitCodes.failed, problem['detail']);
}
