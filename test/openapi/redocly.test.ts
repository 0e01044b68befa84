import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const documentFile = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
const toolsFolder = fileURLToPath(new URL('../tools/', import.meta.url));

interface Lint {
  readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number };
  readonly problems: readonly object[];
}

/** Lints a document by Redocly's recommended rules, without a configuration that could turn any off. */
function lint(file: string): Lint {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(toolsFolder, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', file, '--format', 'json'],
    { cwd: toolsFolder, encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', CI: 'true' } },
  );
  const begin = stdout.indexOf('{');
  if (begin === -1) throw new Error(`Redocly printed no report:\n${stdout}${stderr}`);
  return JSON.parse(stdout.slice(begin));
}

it('Redocly finds neither an error nor a warning', () => {
  expect(lint(documentFile)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
});

it('Redocly really judges', () => {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-openapi-'));
  const broken = join(folder, 'openapi.json');
  writeFileSync(broken, readFileSync(documentFile, 'utf8').replaceAll('/schemas/Error401', '/schemas/None'));
  const { totals } = lint(broken);
  rmSync(folder, { recursive: true });
  expect(totals.errors).toBeGreaterThan(0);
});
