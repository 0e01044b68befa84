/** The mutated folders, with the tests that must notice a mutant: the folder's own, and those that use it from outside. */
export const folders: Readonly<Record<string, readonly string[]>> = {
  errors: [
    'test/errors/*.test.ts',
    'test/secrets.test.ts',
    'test/http/{response,loop.abort,loop.records,loop.results,loop.waits}.test.ts',
    'test/client/*.test.ts',
    // Messages for misuse of the receiver and of its options.
    'test/webhooks/{sign,verify}.test.ts',
  ],
  contract: [
    'test/contract/*.test.ts',
    // Only tests that read responses reach the schemas of responses.
    'test/http/response.test.ts',
    'test/client/*.test.ts',
    'test/resources/*.test.ts',
  ],
  webhooks: ['test/webhooks/*.test.ts', 'test/integration/webhooks/postgres-*.test.ts'],
  http: [
    'test/http/*.test.ts',
    // Real time, processes of their own, or thousands of random purchases: these take seconds for each mutant.
    '!test/http/{properties,replaced-fetch,sockets,prepare,walk}.test.ts',
    'test/client/*.test.ts',
    // Status lookups and waits, which go through rules of their own.
    'test/resources/*.test.ts',
    'test/errors/table.test.ts',
    'test/pacing/pacer.test.ts',
    'test/options.test.ts',
  ],
  orders: [
    'test/orders/*.test.ts',
    'test/orders/stores/{embedded,one-at-a-time}.test.ts',
    // The engines of jobs and the databases decide nothing; simulated days take seconds for each mutant.
    '!test/orders/{broken-hooks,day,engine-queues}.test.ts',
  ],
};
