import { nodeTransport } from '../../src/node/index.js';
import { faultsOfSockets } from '../support/socket-faults.js';

faultsOfSockets(() => ({ transport: nodeTransport() }));
