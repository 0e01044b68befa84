import { createSandbox } from '../../../../src/sandbox/index.js';

/** A sandbox on a port, with its state in the file that STATE names. */
const sandbox = createSandbox({
  state: String(process.env['STATE']),
  seed: 'kill',
  balance: 1e9,
  settleAfter: 5,
});
const { port } = await sandbox.listen();
process.send?.({ port });
process.on('disconnect', () => process.exit());
