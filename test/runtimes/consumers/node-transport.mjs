import * as billpay from 'billpay';
import { nodeTransport } from 'billpay/node';
import { signWebhook } from 'billpay/webhooks';
import { runSuite } from './suite.mjs';

const place = { ...JSON.parse(process.env.PLACE), transport: nodeTransport() };
const report = await runSuite({ ...billpay, signWebhook }, place);
console.log(`REPORT ${JSON.stringify(report)}`);
