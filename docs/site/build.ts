import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import {
  Application,
  type CommentDisplayPart,
  type Context,
  Converter,
  type DocumentReflection,
  TSConfigReader,
  TypeDocReader,
} from 'typedoc';
import { guides, root } from './guides.js';
import { complete } from './layout.js';
import { referenceSection, sections } from './pages.js';
import { GuideRouter, slugs } from './router.js';

/** Builds the site into docs/api: `npm run docs`. Options that need no code are in typedoc.json. */

const listed = guides.map(({ slug }) => slug);

const missing = readdirSync(`${root}docs`)
  .filter((name) => name.endsWith('.md'))
  .map((name) => basename(name, '.md'))
  .filter((name) => !listed.includes(name));
if (missing.length > 0) throw new Error(`docs/site/pages.ts does not list ${missing.join(', ')}`);

const app = await Application.bootstrap(
  {
    projectDocuments: listed.map((name) => `docs/${name}.md`),
    categoryOrder: [...Object.keys(sections), referenceSection],
    defaultCategory: referenceSection,
  },
  [new TypeDocReader(), new TSConfigReader()],
);

app.renderer.defineRouter('guides', GuideRouter);
app.options.setValue('router', 'guides');
complete(app.renderer);

/** Colours of the theme, which follow the reader's choice of light or dark. */
const diagramColours = {
  bg: 'var(--color-background)',
  fg: 'var(--color-text)',
  accent: 'var(--color-link)',
  muted: 'var(--color-text)',
  transparent: true,
  font: 'Arial',
} as const;

const fence = /^```mermaid\n([\s\S]*?)\n```$/;

/** A diagram as a picture; any other part as it is. */
function drawn(part: CommentDisplayPart): CommentDisplayPart {
  const [, source] = part.kind === 'code' ? (fence.exec(part.text.trim()) ?? []) : [];
  if (source === undefined) return part;
  // Markdown ends an HTML block at an empty line.
  const svg = renderMermaidSVG(source, diagramColours).replace(/\n\s*\n/g, '\n');
  return {
    kind: 'text',
    text: `\n<div class="diagram" tabindex="0">${svg.replace('<svg ', '<svg role="img" aria-label="Diagram" ')}</div>\n`,
  };
}

app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context: unknown, document: DocumentReflection) => {
  const guide = guides.find(({ slug }) => slug === document.name);
  if (guide === undefined) throw new Error(`docs/site/pages.ts does not list ${document.name}`);
  slugs.set(document, guide.slug);
  document.name = guide.title;
  document.content = document.content.map(drawn);
  document.frontmatter['category'] = guide.section;
});

/** What makes `instanceof` work is no part of how errors are used. */
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
  const internal = Object.values(project.reflections).filter(({ name }) =>
    /^\[(brand|hasInstance)\]$/.test(name),
  );
  for (const reflection of internal) project.removeReflection(reflection);
});

const project = await app.convert();
if (!project) process.exit(1);

const { logger } = app;
const log = logger.log.bind(logger);
/** Members of object types without a name are described with the type that they belong to. */
logger.log = (message, level) => {
  if (!/\.__type\..* does not have any documentation/.test(message)) log(message, level);
};
app.validate(project);
if (logger.hasErrors() || logger.hasWarnings()) process.exit(1);
await app.generateOutputs(project);
if (logger.hasErrors() || logger.hasWarnings()) process.exit(1);
