/** What is mutated, and the tests that have to notice: the folder's own, and those that drive it from outside. */
export const folders: Readonly<Record<string, readonly string[]>> = {
  errors: [
    'test/errors/*.test.ts',
    'test/secrets.test.ts',
    'test/http/{parse-response,create-error,call-loop.results,call-loop.records}.test.ts',
    'test/client/*.test.ts',
    // What misuse of the receiver, and of its options, is told.
    'test/webhooks/{sign,verify}.test.ts',
  ],
  contract: [
    'test/contract/*.test.ts',
    // An answer's schemas are only seen by those who read answers.
    'test/http/parse-response.test.ts',
    'test/client/*.test.ts',
    'test/resources/*.test.ts',
  ],
  webhooks: [
    'test/webhooks/*.test.ts',
    'test/integration/webhooks/postgres-*.test.ts',
    // The guide's snippets and types: nothing that runs.
    '!test/webhooks/{guide,types}.test.ts',
  ],
  http: [
    'test/http/*.test.ts',
    // Real time, or thousands of random purchases: seconds a mutant.
    '!test/http/{properties,sockets}.test.ts',
    'test/client/*.test.ts',
    'test/errors/table.test.ts',
    'test/pacing/pacer.test.ts',
    'test/options.test.ts',
  ],
};
