import * as billpay from 'billpay';
import { signWebhook } from 'billpay/webhooks';
import { runSuite } from './suite.mjs';

globalThis.runList = (place) => runSuite({ ...billpay, signWebhook }, place);
