/** Answers every POST as the service answers a purchase; after POST /hold it keeps them waiting until POST /release. */
import { createServer } from 'node:http';

const answer = JSON.stringify({
  status: 'pending',
  code: 'PROCESSING',
  message: 'Your request is being processed.',
  data: {
    reference: 'TXN-20260131-0001',
    recipient: '08031234567',
    biller: 'MTN',
    amount: 500,
    channel: 'API_GATEWAY',
    currency: 'NGN',
    created_at: '2026-01-31 10:30:00',
  },
});
const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };

let held;
const serve = (response, url) => {
  response.writeHead(url.startsWith('/api/') ? 202 : 200, head);
  response.end(answer);
};

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { url } = request;
  if (url === '/hold') held = [];
  if (url === '/release') {
    for (const release of held ?? []) release();
    held = undefined;
  }
  if (url === '/hold' || url === '/release' || url === '/held') {
    response.end(String(held?.length ?? 0));
    return;
  }
  request.resume();
  request.on('end', () => {
    if (held) held.push(() => serve(response, url));
    else serve(response, url);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
