import { faultsOfSockets } from '../support/socket-faults.js';

faultsOfSockets(() => ({}));
