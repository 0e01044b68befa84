// Preloaded with `node --import`: the clock of this process is ahead by BILLPAY_CLOCK_SHIFT_MS.
const shift = Number(process.env.BILLPAY_CLOCK_SHIFT_MS);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + shift] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + shift).toString(),
  get: (target, name) => (name === 'now' ? () => RealDate.now() + shift : Reflect.get(target, name, target)),
});
