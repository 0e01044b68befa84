/** A module of Node, where the runtime has it: Node, Bun and Deno find it without an import, which bundlers for other runtimes could not. */
export function builtinModule<T>(name: string): T | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => T | undefined } };
  return process?.getBuiltinModule?.(name);
}
