import * as billpay from 'billpay';
import { signWebhook } from 'billpay/webhooks';
import { runSuite } from './suite.mjs';

// biome-ignore lint/style/noDefaultExport: Workers are default exports.
export default {
  async fetch(request) {
    const place = await request.json();
    return Response.json(await runSuite({ ...billpay, signWebhook }, place));
  },
};
