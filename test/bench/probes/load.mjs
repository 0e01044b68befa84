/** CPU of one call in microseconds: load.mjs client baseUrl concurrency calls */
const [client, baseUrl, ...numbers] = process.argv.slice(2);
const [concurrency, calls] = numbers.map(Number);
const { make } = await import(client);
const call = make(baseUrl);

let keys = 0;
async function callMany(count) {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await call(`order-${process.pid}-${keys++}`);
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
}

await callMany(calls / 2);
const before = process.cpuUsage();
await callMany(calls);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / calls);
process.exit();
