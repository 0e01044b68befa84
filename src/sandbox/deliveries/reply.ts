/** How much of a reply is kept, in bytes. */
const maxBytes = 2048;

/** What a receiver of this package says about a refusal, then the body; undefined where there is neither. */
export async function readReply(response: Response): Promise<string | undefined> {
  const reason = response.headers.get('x-billpay-reason');
  const body = await readBody(response);
  return reason === null ? body : `${reason}: ${body ?? ''}`;
}

/** The first 2,048 bytes of a body as text. One that stalls or breaks is kept as far as it came. */
async function readBody({ body }: Response): Promise<string | undefined> {
  if (!body) return undefined;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let bytes = 0;
  try {
    while (bytes < maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, maxBytes - bytes);
      bytes += part.length;
      text += decoder.decode(part, { stream: true });
    }
  } catch {
    // What came before is what there is.
  }
  void reader.cancel().catch(() => undefined);
  return text === '' ? undefined : text;
}
