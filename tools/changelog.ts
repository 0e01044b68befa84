/** Names the changes under `[Unreleased]` as a version's, and starts a new, empty `[Unreleased]`. Throws when there are none. */
export function cutRelease(changelog: string, version: string, date: string): string {
  const heading = /^## \[Unreleased\]\n/m.exec(changelog);
  if (!heading) throw new Error('CHANGELOG.md has no heading "## [Unreleased]"');
  if (changelog.includes(`\n## [${version}]`))
    throw new Error(`CHANGELOG.md already has a version ${version}`);

  const end = heading.index + heading[0].length;
  const next = changelog.indexOf('\n## [', end);
  const changes = changelog.slice(end, next < 0 ? undefined : next);
  if (!/^- /m.test(changes)) throw new Error('CHANGELOG.md lists no change under "## [Unreleased]"');

  return `${changelog.slice(0, end)}\n## [${version}] - ${date}\n${changelog.slice(end)}`;
}
