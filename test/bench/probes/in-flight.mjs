/** Heap of one call in flight, in bytes: node --expose-gc in-flight.mjs contender baseUrl calls */
import { request } from 'node:http';

const [contender, baseUrl, count] = process.argv.slice(2);
const calls = Number(count);
const { make } = await import(contender);
const call = make(baseUrl);

const post = (path) =>
  new Promise((resolve, reject) => {
    request(new URL(path, baseUrl), { method: 'POST', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(Number(text)));
    })
      .on('error', reject)
      .end();
  });

const heap = async () => {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
};

// A client that failed before may have left the responses held back.
await post('/release');
for (let key = 0; key < 200; key++) await call(`warm-${key}`);
await post('/hold');
const before = await heap();
const pending = Array.from({ length: calls }, (_, key) => call(`order-${key}`));
while ((await post('/held')) < calls) await new Promise((resolve) => setTimeout(resolve, 20));
const during = await heap();
await post('/release');
await Promise.all(pending);
console.log(JSON.stringify({ bytes: (during - before) / calls }));
process.exit(0);
