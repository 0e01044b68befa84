/** CPU and wall time of one call, in microseconds: load.mjs contender baseUrl concurrency warmUp calls */
const [contender, baseUrl, ...numbers] = process.argv.slice(2);
const [concurrency, warmUp, calls] = numbers.map(Number);
const { make } = await import(contender);
const call = make(baseUrl);

let keys = 0;
const callMany = async (count) => {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await call(`order-${process.pid}-${keys++}`);
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
};

await callMany(warmUp);
const cpuBefore = process.cpuUsage();
const before = performance.now();
await callMany(calls);
const wall = performance.now() - before;
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ cpu: (user + system) / calls, wall: (wall * 1000) / calls }));
process.exit(0);
