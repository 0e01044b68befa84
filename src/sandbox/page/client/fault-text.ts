import type { Json } from '../../control/types.js';
import type { ActiveFault } from '../../records/objects.js';
import { faultEffects } from '../../words.js';

/** How an active fault is put into a sentence. */

export type Fault = Json<ActiveFault>;

/** Which calls it changes: `purchases`, `tv.validate calls`. */
function callsOf(operation: Fault['options']['operation'], isOne: boolean): string {
  const names = operation === undefined ? [] : [operation].flat();
  const s = isOne ? '' : 's';
  if (names.length === 0) return `call${s}`;
  const allPurchases = names.length === 5 && names.every((name) => name.endsWith('.purchase'));
  return allPurchases ? `purchase${s}` : `${names.join(', ')} call${s}`;
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
  return `${which} ${callsOf(operation, isOne)}${only} ${faultEffects(options, isOne)}, ${count}`;
}
