import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocks, guides } from '../docs/pages.js';
import { needsMore } from '../docs/run-block.js';
import { addPeer, installedConsumer } from './consumer.js';
import { Walk } from './walk.js';

const isWalked = (block: CodeBlock): boolean =>
  block.marks.some((mark) => ['run', 'load', 'background'].includes(mark) || mark.endsWith('.mjs')) &&
  !needsMore(block);

const pages = guides
  .map((page) => [page.path, codeBlocks(page).filter(isWalked)] as const)
  .filter(([, blocks]) => blocks.length > 0);

/** An empty project with the packed tarball. */
let consumer: string;

beforeAll(() => {
  consumer = installedConsumer();
  for (const name of ['vitest', 'tsx', 'pg', 'ioredis', 'express']) addPeer(consumer, name);
});
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

async function walk(path: string, blocks: readonly CodeBlock[], tsx = false): Promise<void> {
  const reader = new Walk(consumer, path, { tsx });
  try {
    await reader.begin();
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

describe.concurrent('a reader with an empty folder and the packed package can follow', () => {
  it.each(pages)('%s', (path, blocks) => walk(path, blocks));

  it('docs/getting-started.md in TypeScript', () => {
    const [, blocks = []] = pages.find(([path]) => path === 'docs/getting-started.md') ?? [];
    expect(blocks.length).toBeGreaterThan(8);
    return walk('docs/getting-started.md', blocks, true);
  });
});

it('more than a few pages have something to follow', () => {
  expect(pages.length).toBeGreaterThan(12);
});
