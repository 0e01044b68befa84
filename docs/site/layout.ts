import { type DocumentReflection, JSX, type PageEvent, type Renderer, type RouterTarget } from 'typedoc';
import { type Guide, guides } from './guides.js';
import { sections } from './pages.js';
import { slugs } from './router.js';

/** What the theme of TypeDoc lacks: links to the neighbours of a guide, an open navigation, landmarks, and descriptions. */

const guideOf = (model: RouterTarget): Guide | undefined =>
  guides.find(({ slug }) => slug === slugs.get(model as DocumentReflection));

const link = (guide: Guide | undefined, label: string, rel: string) =>
  guide === undefined
    ? JSX.createElement('span', null)
    : JSX.createElement(
        'a',
        { href: `${guide.slug}.html`, rel, class: `neighbour-${rel}` },
        JSX.createElement('small', null, label),
        ' ',
        guide.title,
      );

/** The guides before and after a page, in reading order. */
function neighbours(model: RouterTarget): JSX.Element {
  const guide = guideOf(model);
  if (guide === undefined) return JSX.createElement(JSX.Fragment, null);
  const at = guides.indexOf(guide);
  return JSX.createElement(
    'nav',
    { class: 'neighbours', 'aria-label': 'Previous and next guide' },
    link(guides[at - 1], 'Previous', 'prev'),
    link(guides[at + 1], 'Next', 'next'),
  );
}

/** TypeDoc remembers which sections a reader has closed; until then, the guides are open. */
const openSections = `for (const name of ${JSON.stringify(Object.keys(sections))}) {
  const key = 'tsd-accordion-' + name;
  if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true');
}`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** What is replaced in the HTML of each page: landmarks, and what scrolls sideways can be reached by the keyboard. */
const replacements: readonly (readonly [from: string, to: string])[] = [
  ['<div class="col-content">', '<main class="col-content">'],
  [
    '</div>\n<div class="col-sidebar">',
    '</main>\n<aside class="col-sidebar" aria-label="This page and all pages">',
  ],
  ['</nav></div></div></div><footer>', '</nav></div></aside></div><footer>'],
];
const scrolling: readonly (readonly [from: RegExp, to: string])[] = [
  [/<table>/g, '<div class="wide" tabindex="0"><table>'],
  [/<\/table>/g, '</table></div>'],
  [/<th><\/th>/g, '<td></td>'],
  [/<pre>/g, '<pre tabindex="0">'],
];

/** The HTML of a page as it is published. Throws where the layout of TypeDoc is not the one that this is written for. */
export function completed(html: string, guide: Guide | undefined): string {
  const missing = replacements.find(([from]) => !html.includes(from));
  if (missing) throw new Error(`the layout of TypeDoc has changed: there is no ${missing[0]}`);
  const withLandmarks = replacements.reduce((text, [from, to]) => text.replace(from, to), html);
  const reachable = scrolling.reduce((text, [from, to]) => text.replaceAll(from, to), withLandmarks);
  return guide === undefined
    ? reachable
    : reachable.replace('content="Documentation for billpay"', `content="${escaped(guide.question)}"`);
}

export function complete(renderer: Renderer): void {
  renderer.hooks.on('head.end', () =>
    JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: openSections })),
  );
  renderer.hooks.on('content.end', ({ page }) => neighbours(page.model));
  renderer.on('endPage', (page: PageEvent) => {
    if (page.contents !== undefined) page.contents = completed(page.contents, guideOf(page.model));
  });
}
