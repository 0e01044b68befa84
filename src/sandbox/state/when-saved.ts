import { failure } from '../service/responses.js';
import type { ServedResponse } from '../service/serve.js';
import type { StateWriter } from './open-state.js';

const cannotSave: ServedResponse = {
  kind: 'complete',
  response: failure(
    500,
    'GATEWAY_ERROR',
    'The sandbox cannot write its state file. What it does from now on is lost with its process.',
  ),
};

/** A response acknowledges what happened, so it is held until that is on the disk. */
export async function whenSaved(
  served: ServedResponse | Promise<ServedResponse>,
  writer: StateWriter,
): Promise<ServedResponse> {
  const result = await served;
  try {
    await writer.saved();
    return result;
  } catch {
    return cannotSave;
  }
}
