import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from '@vitest/coverage-v8';
import { V8CoverageProvider } from '@vitest/coverage-v8/dist/provider.js';
import { convert } from 'ast-v8-to-istanbul';
import { type CoverageProviderModule, parseAstAsync, type ReportContext, type Vitest } from 'vitest/node';
import { bundlePage } from './bundle-page.js';

/**
 * The coverage of Vitest, with that of the sandbox's page. The page's script runs in Chromium, where V8 counts in the same way: the tests
 * in `test/integration/sandbox/page.test.ts` save what ran, and the source map of the script leads back to the components.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests save which functions of the page's script ran; nothing is provided where coverage is off. */
    readonly pageCoverage?: string;
  }
}

/** What one page in Chromium ran of the page's script, as V8 counts it. */
export type PageCoverage = Parameters<typeof convert>[0]['coverage']['functions'];

class CoverageWithPage extends V8CoverageProvider {
  get #saved(): string {
    return join(this.options.reportsDirectory, 'page.json');
  }

  override initialize(vitest: Vitest): void {
    super.initialize(vitest);
    vitest.provide('pageCoverage', this.#saved);
  }

  override async generateCoverage(context: ReportContext) {
    const coverage = await super.generateCoverage(context);
    const page = await this.#pageCoverage();
    // A file of the page that unit tests load has its figure from them, as any other file has.
    page.filter(
      (file: string) =>
        coverage.files().includes(file) && coverage.fileCoverageFor(file).toSummary().lines.covered === 0,
    );
    coverage.filter((file: string) => !page.files().includes(file));
    coverage.merge(page);
    return coverage;
  }

  async #pageCoverage() {
    const coverage = this.createCoverageMap();
    if (!existsSync(this.#saved)) return coverage;
    const { script: code } = await bundlePage({ isMinified: false });
    const url = pathToFileURL('page/main.js').href;
    for (const functions of JSON.parse(readFileSync(this.#saved, 'utf8')) as readonly PageCoverage[]) {
      coverage.merge(await convert({ code, ast: parseAstAsync(code), coverage: { url, functions } }));
    }
    return coverage;
  }
}

const provider: CoverageProviderModule = { ...v8, getProvider: () => new CoverageWithPage() };
// biome-ignore lint/style/noDefaultExport: Vitest takes the provider from there
export default provider;
