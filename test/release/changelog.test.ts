import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cutRelease } from '../../tools/changelog.js';

const changelog = `# Changelog

## [Unreleased]

### Added

- A.

## [0.9.0] - 2026-01-02

- B.
`;

describe('a release in the changelog', () => {
  it('takes what was unreleased and starts anew', () => {
    expect(cutRelease(changelog, '1.0.0', '2026-11-22')).toBe(`# Changelog

## [Unreleased]

## [1.0.0] - 2026-11-22

### Added

- A.

## [0.9.0] - 2026-01-02

- B.
`);
  });

  it('is refused without a change, twice, and without the heading', () => {
    const released = cutRelease(changelog, '1.0.0', '2026-11-22');
    expect(() => cutRelease(released, '1.0.1', '2026-11-23')).toThrow('lists no change');
    expect(() => cutRelease(released, '1.0.0', '2026-11-23')).toThrow('already has a version 1.0.0');
    expect(() => cutRelease('# Changelog\n', '1.0.0', '2026-11-22')).toThrow('no heading');
  });

  it('is possible with the changelog of this package', () => {
    const current = readFileSync('CHANGELOG.md', 'utf8');
    const unreleased = /## \[Unreleased\]\n\n### /.test(current);
    if (unreleased)
      expect(cutRelease(current, '999.0.0', '2026-11-22')).toContain('## [999.0.0] - 2026-11-22');
    else expect(current).toMatch(/## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d/);
  });
});
