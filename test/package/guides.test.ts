import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { guides as navigation } from '../../tools/site/guides.js';
import { type CodeBlock, codeBlocks, readPage } from '../docs/pages.js';
import { addPeer, installedConsumer } from './consumer.js';
import { GuideSandbox, Walk } from './walk.js';

const isFollowed = (block: CodeBlock): boolean =>
  block.marks.some((mark) => ['run', 'load', 'background'].includes(mark) || mark.endsWith('.mjs'));

/** The blocks of every page, in the order in which a reader meets them. */
const pages = ['README.md', ...navigation.map(({ slug }) => `docs/${slug}.md`), 'docs/agents.md']
  .map((path) => [path, codeBlocks(readPage(path)).filter(isFollowed)] as const)
  .filter(([, blocks]) => blocks.length > 0);

/** An empty project with the packed tarball. */
let consumer: string;

beforeAll(() => {
  consumer = installedConsumer();
  for (const name of ['vitest', 'tsx', 'pg', 'ioredis', 'express', 'msw']) addPeer(consumer, name);
});
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

async function follow(sandbox: GuideSandbox, path: string, blocks: readonly CodeBlock[], tsx = false) {
  const reader = new Walk(consumer, sandbox, path, { tsx });
  try {
    for (const block of blocks) {
      await reader.follow(block).catch((error: unknown) => {
        throw new Error(`${block.page}:${block.line}: ${String(error)}`);
      });
    }
    await reader.end();
  } finally {
    await reader.close();
  }
}

it('a reader with the packed package can follow all guides, one after the other, in one sandbox', async () => {
  expect(pages.length).toBeGreaterThan(10);
  const sandbox = await GuideSandbox.start(consumer);
  try {
    for (const [path, blocks] of pages) await follow(sandbox, path, blocks);
    await sandbox.audit();
  } finally {
    await sandbox.close();
  }
}, 300_000);

it('a reader can follow docs/getting-started.md in TypeScript', async () => {
  const [path, blocks] = pages.find(([path]) => path === 'docs/getting-started.md') ?? ['', []];
  expect(blocks.length).toBeGreaterThan(8);
  const sandbox = await GuideSandbox.start(consumer);
  try {
    await follow(sandbox, path, blocks, true);
    await sandbox.audit();
  } finally {
    await sandbox.close();
  }
});
