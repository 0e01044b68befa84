import { Miniflare } from 'miniflare';

const worker = new Miniflare({
  modules: true,
  scriptPath: 'worker.bundle.mjs',
  compatibilityDate: '2026-01-01',
  compatibilityFlags: process.argv.slice(2),
});
const response = await worker.dispatchFetch('http://worker.test/', {
  method: 'POST',
  body: process.env.PLACE,
});
console.log(`REPORT ${await response.text()}`);
await worker.dispose();
