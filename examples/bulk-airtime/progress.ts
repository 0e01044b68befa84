import type { BulkProgress } from 'billpay/bulk';
import { SingleBar } from 'cli-progress';

const naira = (amount: number) => `${amount.toLocaleString('en-NG', { maximumFractionDigits: 2 })} NGN`;

/** Shows the progress of a run. */
export interface ProgressView {
  update(progress: BulkProgress): void;
  end(): void;
}

const doneOf = ({ accepted, refused, review, invalid, skipped }: BulkProgress) =>
  accepted + refused + review + invalid + skipped;

const duration = (seconds: number) =>
  seconds < 90
    ? `${Math.ceil(seconds)} s`
    : seconds < 5400
      ? `${Math.ceil(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

/** The figures to show: rate, amount spent, failures, time left. */
function figures(progress: BulkProgress, total: number, startedAt: number) {
  const asked = doneOf(progress) - progress.skipped;
  // The first 20 are sent at once; the time left depends on the pace that follows.
  const perMinute = Math.min(20, (asked / Math.max(1, Date.now() - startedAt)) * 60_000);
  const remaining = total - doneOf(progress);
  return {
    rate: `${Math.round(perMinute)} a minute`,
    spent: naira(progress.spent),
    refused: progress.refused + progress.invalid,
    review: progress.review,
    left: asked === 0 ? '…' : duration((remaining / perMinute) * 60),
  };
}

/** A progress bar on a terminal, and a line every 10 s everywhere else. */
export function showProgress(total: number, isTerminal: boolean): ProgressView {
  const startedAt = Date.now();
  return isTerminal ? bar(total, startedAt) : plainLines(total, startedAt);
}

function bar(total: number, startedAt: number): ProgressView {
  const view = new SingleBar({
    format: '{bar} {value}/{total}  {rate}  spent {spent}  refused {refused}  review {review}  {left} left',
    hideCursor: true,
    barsize: 24,
  });
  const nothing: BulkProgress = { accepted: 0, refused: 0, review: 0, invalid: 0, skipped: 0, spent: 0 };
  view.start(total, 0, figures(nothing, total, startedAt));
  return {
    update: (progress) => view.update(doneOf(progress), figures(progress, total, startedAt)),
    end: () => view.stop(),
  };
}

function plainLines(total: number, startedAt: number): ProgressView {
  let shownAt = 0;
  let last = '';
  return {
    update(progress) {
      const { rate, spent, refused, review, left } = figures(progress, total, startedAt);
      last = `${doneOf(progress)}/${total}  ${rate}  spent ${spent}  refused ${refused}  review ${review}  ${left} left`;
      if (Date.now() - shownAt < 10_000) return;
      shownAt = Date.now();
      console.log(last);
    },
    end: () => console.log(last),
  };
}
