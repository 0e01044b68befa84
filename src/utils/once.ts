/** Makes a value when it is first needed, and keeps it. A process that starts cold uses few of the schemas, and each takes time to build. */
// @__NO_SIDE_EFFECTS__
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
