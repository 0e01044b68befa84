import type { BulkResult } from 'billpay/bulk';
import { SingleBar } from 'cli-progress';

const naira = (amount: number) => `${amount.toLocaleString('en-NG', { maximumFractionDigits: 2 })} NGN`;

/** Shows the progress of a run: a bar on a terminal, and a line every 10 s everywhere else. */
export function showProgress(total: number, isTerminal: boolean) {
  const bar = new SingleBar({
    format: '{bar} {value}/{total}  spent {spent}  not bought {notBought}',
    barsize: 24,
  });
  let [done, notBought, kobo, shownAt] = [0, 0, 0, 0];
  const figures = () => ({ spent: naira(kobo / 100), notBought });
  const line = () => `${done}/${total}  spent ${figures().spent}  not bought ${notBought}`;
  if (isTerminal) bar.start(total, 0, figures());
  return {
    update({ status, order }: BulkResult) {
      done++;
      if (status === 'accepted') kobo += Math.round((order?.amount ?? 0) * 100);
      else notBought++;
      if (isTerminal) bar.update(done, figures());
      else if (Date.now() - shownAt >= 10_000) {
        shownAt = Date.now();
        console.log(line());
      }
    },
    end() {
      if (isTerminal) bar.stop();
      else console.log(line());
    },
    spent: () => naira(kobo / 100),
  };
}
