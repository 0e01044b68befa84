const billpay = require('billpay');
const { signWebhook } = require('billpay/webhooks');
const { runSuite } = require('./suite.cjs');

runSuite({ ...billpay, signWebhook }, JSON.parse(process.env.PLACE)).then((report) => {
  console.log(`REPORT ${JSON.stringify(report)}`);
});
