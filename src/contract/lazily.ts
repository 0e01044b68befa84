/** Makes something at the first asking and keeps it. All schemas together would take a third of the package's start. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
