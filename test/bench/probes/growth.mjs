/** Heap after each tenth of many calls, in bytes: node --expose-gc growth.mjs contender baseUrl calls */
const [contender, baseUrl, count] = process.argv.slice(2);
const { make } = await import(contender);
const call = make(baseUrl);

let keys = 0;
const callMany = async (calls) => {
  let left = calls;
  const caller = async () => {
    while (left-- > 0) await call(`order-${keys++}`);
  };
  await Promise.all(Array.from({ length: 16 }, caller));
};

const heap = async () => {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
};

// What is compiled, and what the caches of the runtime take, is settled only after many calls.
await callMany(20_000);
const heaps = [await heap()];
for (let part = 0; part < 10; part++) {
  await callMany(Number(count) / 10);
  heaps.push(await heap());
}
console.log(JSON.stringify({ heaps }));
process.exit(0);
