import { BillPay } from 'billpay';

const billpay = new BillPay();
export const buy = async (key: string): Promise<string> => {
  const { reference } = await billpay.airtime.purchase({
    biller: 'MTN',
    recipient: '08031234567',
    amount: 500,
    idempotency_key: key,
  });
  return reference;
};
