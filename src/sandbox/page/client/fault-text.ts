import type { Json } from '../../control/types.js';
import type { ActiveFault } from '../../records/objects.js';

/** How an active fault is put into a sentence. */

export type Fault = Json<ActiveFault>;

type Options = Fault['options'];

/** Which calls it changes: `purchases`, `tv.validate calls`. */
function callsOf(operation: Options['operation'], isOne: boolean): string {
  const names = operation === undefined ? [] : [operation].flat();
  const s = isOne ? '' : 's';
  if (names.length === 0) return `call${s}`;
  const allPurchases = names.length === 5 && names.every((name) => name.endsWith('.purchase'));
  return allPurchases ? `purchase${s}` : `${names.join(', ')} call${s}`;
}

/** What happens to them: `lose their response`. */
function effectsOf(fault: Options, isOne: boolean): string {
  const [verb, their] = isOne ? ['s', 'its'] : ['', 'their'];
  const get = `get${verb}`;
  const after = fault.when === 'after';
  const effects: string[] = [];
  if (fault.delay !== undefined) {
    const time = typeof fault.delay === 'number' ? `${fault.delay} ms` : fault.delay;
    effects.push(`wait${verb} ${time}`);
  }
  if (fault.connection === 'close') {
    effects.push(after ? `lose${verb} ${their} response` : `${get} no connection`);
  }
  if (fault.status !== undefined || fault.body !== undefined) {
    const code = [fault.status, fault.code].filter(Boolean).join(' ');
    const isPage = typeof fault.body === 'string' && fault.body.startsWith('<');
    const what = fault.body === undefined ? code : `${code} with ${isPage ? 'an HTML page' : 'another body'}`;
    effects.push(
      after ? `${isOne ? 'is' : 'are'} processed, but ${get} ${what.trim()}` : `${get} ${what.trim()}`,
    );
  }
  if (fault.cutBody !== undefined) effects.push(`${get} a response that is cut off`);
  if (fault.headers !== undefined) effects.push(`${get} other headers`);
  if (fault.retryAfter !== undefined) effects.push(`with Retry-After ${fault.retryAfter}`);
  return effects.join(', ');
}

/** `the next 3 purchases lose their response, 0 of 3 used` */
export function faultSentence({
  options,
  remaining,
  used,
}: Pick<Fault, 'options' | 'remaining' | 'used'>): string {
  const { operation, recipient, clientId } = options;
  const isOne = remaining === 1;
  const which = remaining === 'always' ? 'all' : isOne ? 'the next' : `the next ${remaining}`;
  const only = [recipient && ` for ${recipient}`, clientId && ` of ${clientId}`].filter(Boolean).join('');
  const count =
    remaining === 'always'
      ? `used ${used} time${used === 1 ? '' : 's'}`
      : `${used} of ${used + remaining} used`;
  return `${which} ${callsOf(operation, isOne)}${only} ${effectsOf(options, isOne)}, ${count}`;
}
