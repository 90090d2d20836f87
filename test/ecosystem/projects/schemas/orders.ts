import { Corridor, type PaymentCreateParams } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { paymentCreateParams } from 'corridor-sdk/schemas';

/** The body of an order in the API of this project: the order's id is its reference. */
export const orderSchema = paymentCreateParams.omit({ internalReference: true });

type Order = Omit<PaymentCreateParams, 'internalReference'>;

/** A platform with an order, and a function that pays it. */
export function createShop() {
  const platform = createMockPlatform();
  const { internalReference: _, ...order } = platform.payments.createParams({ amount: '1250.00' });
  const corridor = new Corridor(platform.clientOptions());
  const pay = async (orderId: string, body: Order): Promise<string> => {
    const params = { ...body, internalReference: orderId };
    const { payment } = await corridor.payments.createOnce(params, { idempotencyKey: orderId });
    return payment.amount;
  };
  return { platform, corridor, order, pay };
}

/** What is wrong with an order, and the issues that the client has for it. */
export const invalid = {
  change: { amount: '10.5', currencyCode: 'XAF' },
  path: ['amount'],
  message: 'must have no decimals in XAF (received 1)',
} as const;
