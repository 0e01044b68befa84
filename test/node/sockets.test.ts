import { nodeFetch } from '../../src/node/index.js';
import { faultsOfSockets } from '../support/socket-faults.js';

faultsOfSockets(() => ({ fetch: nodeFetch() }));
