import { Hono } from 'hono/tiny';
import { hostRefusal } from '../http/guard.js';

/** The page of a listening sandbox, at `/`. It holds no data: it reads and changes everything through the control API. */

/** The page's own script and style, no frames around it, no markup made from text. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>billpay sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<noscript><p class="empty">This page needs JavaScript.</p></noscript>
</body>
</html>
`;

/**
 * Responds to `/`, `/page.js` and `/page.css`.
 *
 * @param host - the address that the server listens on.
 */
export function createPage(host: string): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    c.header('cache-control', 'no-store');
    c.header('content-security-policy', policy);
    c.header('cross-origin-opener-policy', 'same-origin');
    c.header('cross-origin-resource-policy', 'same-origin');
    c.header('referrer-policy', 'no-referrer');
    c.header('x-content-type-options', 'nosniff');
    const refusal = hostRefusal(c.req.raw, host);
    return refusal === undefined ? next() : c.text(`${refusal}\n`, 403);
  });
  app.get('/', (c) => c.html(html));
  // Only who opens the page pays for loading it.
  app.get('/page.js', async (c) =>
    c.body((await import('#sandbox-page')).script(), 200, {
      'content-type': 'text/javascript; charset=utf-8',
    }),
  );
  app.get('/page.css', async (c) =>
    c.body((await import('#sandbox-page')).style(), 200, { 'content-type': 'text/css; charset=utf-8' }),
  );
  return app;
}
