import * as billpay from 'billpay';
import { signWebhook } from 'billpay/webhooks';
import { runSuite } from './suite.mjs';

const report = await runSuite({ ...billpay, signWebhook }, JSON.parse(process.env.PLACE));
console.log(`REPORT ${JSON.stringify(report)}`);
