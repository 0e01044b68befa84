// Preloaded with `node --import`: the clock of this process is ahead by CLOCK_SHIFT_MS.
import { ServerResponse } from 'node:http';

const shift = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = Date;
const realNow = Date.now;
const now = () => realNow() + shift;

RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
});

// Node takes the Date header of responses from a clock of its own. With raw headers it would merge those that are repeated.
const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (...args) {
  if (this.sendDate && !this.hasHeader('date') && !Array.isArray(args.at(-1)))
    this.setHeader('Date', new Date().toUTCString());
  return writeHead.apply(this, args);
};
