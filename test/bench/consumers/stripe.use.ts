import Stripe from 'stripe';

const stripe = new Stripe('sk');
export const buy = async (key: string): Promise<string> => {
  const { id } = await stripe.paymentIntents.create(
    { amount: 500, currency: 'ngn' },
    { idempotencyKey: key },
  );
  return id;
};
