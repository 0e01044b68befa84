import * as billpay from 'billpay';
import { signWebhook } from 'billpay/webhooks';
import { runSuite } from './suite.mjs';

// Looked up at the first signature: without it, a runtime that has node:crypto takes the way of one that has not.
if (process.env.WITHOUT_CRYPTO) process.getBuiltinModule = undefined;
const report = await runSuite({ ...billpay, signWebhook }, JSON.parse(process.env.PLACE));
console.log(`REPORT ${JSON.stringify(report)}`);
