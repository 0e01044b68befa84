import { assertOption } from '../validation/options.js';
import { checkConditions, checkedAmount } from './schemas/client-options.js';
import type { Client } from './service/clients.js';
import type { ServiceState } from './service/service-state.js';
import type { SandboxClient } from './types.js';

/** How a handle reaches its client: both change with a reset. */
interface CurrentClient {
  state(): ServiceState;
  client(): Client;
}

/** A client as callers see it. The handle stays valid after a reset, because it looks the client up at each use. */
export function createClientHandle(clientId: string, current: CurrentClient): SandboxClient {
  const { client } = current;
  const change = (make: () => void) =>
    current.state().changes.commit(() => {
      make();
      return [{ type: 'client', clientId }];
    });
  return {
    clientId,
    get secretKey() {
      return client().secretKey;
    },
    get publicKey() {
      return client().publicKey;
    },
    get balance() {
      return client().wallet.balance;
    },
    get verified() {
      return client().verified;
    },
    get suspended() {
      return client().suspended;
    },
    get allowedIps() {
      return client().allowedIps;
    },
    get subscription() {
      const { subscription } = client();
      return subscription && { url: subscription.url, enabled: subscription.enabled };
    },
    update: (conditions) => {
      const checked = checkConditions(conditions);
      change(() => void Object.assign(client(), checked));
    },
    fund: (amount) => {
      const { clock, changes } = current.state();
      const checked = checkedAmount(amount);
      changes.commit(() => [
        { type: 'wallet', clientId, entry: client().wallet.fund(checked, clock.date()) },
      ]);
    },
    rotateSecretKey: () => {
      change(() => current.state().clients.rotateSecretKey(client()));
      return client().secretKey;
    },
    revokeKey: (kind) => {
      assertOption(kind === 'secret' || kind === 'public', 'kind', "must be 'secret' or 'public'");
      change(() => {
        client().revoked = [...new Set([...client().revoked, kind])];
      });
    },
  };
}
