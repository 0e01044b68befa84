import { script, style } from './assets.js';

/** The page as one HTML document: no other resource is loaded, and its policy allows none. */

const hash = (content: string): string => {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
};

/** In a script element, only these would end it early. */
const inlineScript = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

/** Nothing but the page's own style and script, no frames around it, no markup made from text. */
export const pagePolicy = [
  "default-src 'none'",
  `script-src ${hash(inlineScript)}`,
  `style-src ${hash(style)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>billpay sandbox</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript><p class="empty">This page needs JavaScript.</p></noscript>
<script>${inlineScript}</script>
</body>
</html>
`;
