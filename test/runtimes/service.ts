import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type * as sandboxModule from 'billpay/sandbox';
import { freePort } from '../support/sockets.js';
import type { Place, Report } from './suite.js';

/** The service of every check: the packed sandbox on a port, and a server that responds with faults. */
export interface Service {
  /** A separate client for each check, with a full wallet. */
  place(how?: Partial<Pick<Place, 'knowsRefusal' | 'resends' | 'browser'>>): Place;
  /** Serves a page with this script, and the service under the same origin; returns its address. */
  servePage(script: string): string;
  /** Describes a difference between the wallet and the report of a check; undefined where there is none. */
  wrongIn(place: Place, report: Report): string | undefined;
  /** Every inconsistency in the sandbox's books. */
  audit(): readonly string[];
  close(): Promise<void>;
}

const mostChecks = 60;

export async function startService(sandboxEntry: string): Promise<Service> {
  const { createSandbox }: typeof sandboxModule = await import(pathToFileURL(sandboxEntry).href);
  const clients = Array.from({ length: mostChecks }, (_, at) => ({ clientId: `check_${at}` }));
  const sandbox = createSandbox({ clients, settleAfter: 150, balance: 1_000_000 });
  const { baseUrl, port } = await sandbox.listen();
  const refusedPort = await freePort();
  const pages = new Map<string, string>();
  const kept = new Map<string, object>();
  const lengths = new Map<string, string[]>();

  const server = createServer((request, response) => {
    odd(request, response, { pages, kept, lengths, sandboxPort: port }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const oddUrl = `http://127.0.0.1:${portOf(server.address())}`;
  let taken = 0;
  return {
    place: ({ knowsRefusal = true, resends = false, browser = false } = {}) => {
      const client = sandbox.clients[taken++];
      if (!client) throw new Error(`more than ${mostChecks} checks: raise the number`);
      const { clientId, secretKey, publicKey } = client;
      return {
        baseUrl: browser ? `${oddUrl}/api/v1` : baseUrl,
        clientId,
        secretKey,
        publicKey,
        oddUrl,
        refusedUrl: `http://127.0.0.1:${refusedPort}/api/v1`,
        knowsRefusal,
        resends,
        browser,
      };
    },
    servePage: (script) => {
      pages.set(String(pages.size), script);
      return `${oddUrl}/page/${pages.size - 1}`;
    },
    wrongIn: ({ clientId }, { bought }) => {
      const sold = sandbox.transactions.filter((transaction) => transaction.clientId === clientId).length;
      return sold === bought
        ? undefined
        : `the wallet paid for ${sold} purchases, the caller knows of ${bought}`;
    },
    audit: () => sandbox.audit().problems,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await sandbox.close();
    },
  };
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

interface Shelves {
  readonly pages: ReadonlyMap<string, string>;
  readonly kept: Map<string, object>;
  /** The content lengths of the requests that were misdirected, by idempotency_key. */
  readonly lengths: Map<string, string[]>;
  readonly sandboxPort: number;
}

async function odd(request: IncomingMessage, response: ServerResponse, shelves: Shelves): Promise<void> {
  const [, how = '', which = ''] = (request.url ?? '').split('/');
  const body = await text(request);
  switch (how) {
    case 'close':
      response.destroy();
      return;
    case 'hang':
      return;
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return;
    case 'redirect':
      response.writeHead(302, { location: 'http://127.0.0.1/elsewhere' }).end();
      return;
    case 'cut':
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': 500 });
      response.write('{"status":"pending","data":{"refer', () => response.destroy());
      return;
    case 'hook':
      shelves.kept.set(JSON.parse(body).data.reference, { body, headers: request.headers });
      response.end();
      return;
    case 'misdirected': {
      const key: string = JSON.parse(body).idempotency_key;
      const lengths = [...(shelves.lengths.get(key) ?? []), request.headers['content-length'] ?? 'chunked'];
      shelves.lengths.set(key, lengths);
      const json = { 'content-type': 'application/json' };
      const refusal = { status: 'error', code: 'GATEWAY_ERROR', message: 'refused' };
      if (lengths.length === 1) response.writeHead(421, json).end('{}');
      else response.writeHead(422, json).end(JSON.stringify(refusal));
      return;
    }
    case 'lengths':
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(shelves.lengths.get(which) ?? []));
      return;
    case 'kept':
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(shelves.kept.get(which) ?? null));
      return;
    case 'page': {
      const [name = '', isScript] = which.split('.');
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript
          ? shelves.pages.get(name)
          : `<!doctype html><title>page</title><script type="module" src="/page/${name}.js"></script>`,
      );
      return;
    }
    default: {
      const served = await fetch(`http://127.0.0.1:${shelves.sandboxPort}${request.url}`, {
        method: request.method ?? 'GET',
        headers: {
          'content-type': 'application/json',
          authorization: request.headers.authorization ?? '',
        },
        ...(body !== '' && { body }),
      });
      response.writeHead(served.status, { 'content-type': 'application/json' }).end(await served.text());
    }
  }
}
