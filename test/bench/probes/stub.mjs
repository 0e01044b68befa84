/** Responds to every POST with the body given as its argument. After POST /hold it holds the responses back until POST /release. */
import { createServer } from 'node:http';

const [answer] = process.argv.slice(2);
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
