import { createSandbox } from '../../../../src/sandbox/index.js';

/** A sandbox on a port, with its state in the file that is named on the command line. Prints its base address. */
const sandbox = createSandbox({ state: process.argv[2] ?? '', seed: 'kill', balance: 1e9, settleAfter: 5 });
const { baseUrl } = await sandbox.listen();
console.log(baseUrl);
