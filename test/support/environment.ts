import type { SandboxConnection } from '../../src/sandbox/index.js';

/** The variables from which `new BillPay()` reads how to reach the service. */
export const environmentOf = ({ apiKey, clientId, baseUrl }: SandboxConnection) => ({
  BILLPAY_API_KEY: apiKey,
  BILLPAY_CLIENT_ID: clientId,
  BILLPAY_BASE_URL: baseUrl,
});
