import { assertOption } from '../validation/options.js';
import type { Account } from './rules/accounts.js';
import type { ServiceState } from './rules/service-state.js';
import { checkConditions } from './schemas/client-options.js';
import { checkedAmount } from './schemas/kinds.js';
import type { SandboxClient } from './types.js';

/** How a handle reaches its account: both change with a reset. */
interface CurrentAccount {
  state(): ServiceState;
  account(): Account;
}

/** A client as callers see it. The handle stays valid after a reset, because it looks the account up at each use. */
export function createClientHandle(clientId: string, current: CurrentAccount): SandboxClient {
  const { account } = current;
  const change = (make: () => void) =>
    current.state().commit(() => {
      make();
      return { type: 'client', clientId };
    });
  return {
    clientId,
    get secretKey() {
      return account().secretKey;
    },
    get publicKey() {
      return account().publicKey;
    },
    get verified() {
      return account().verified;
    },
    get suspended() {
      return account().suspended;
    },
    get allowedIps() {
      return account().allowedIps;
    },
    get subscription() {
      const { subscription } = account();
      return subscription && { url: subscription.url, enabled: subscription.enabled };
    },
    update: (conditions) => {
      const checked = checkConditions(conditions);
      change(() => void Object.assign(account(), checked));
    },
    fund: (amount) => {
      const { clock, commit } = current.state();
      const checked = checkedAmount(amount);
      commit(() => ({ type: 'wallet', clientId, entry: account().wallet.fund(checked, clock.now()) }));
    },
    rotateSecretKey: () => {
      change(() => void current.state().accounts.rotateSecretKey(account()));
      return account().secretKey;
    },
    revokeKey: (kind) => {
      assertOption(kind === 'secret' || kind === 'public', 'kind', "must be 'secret' or 'public'");
      change(() => current.state().accounts.revoke(account(), kind));
    },
  };
}
