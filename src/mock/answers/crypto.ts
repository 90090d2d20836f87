import type { AnswersOf } from '../call.js';
import { enabledNetworks, enabledPaymentMethods } from '../crypto-catalog.js';

/** The answers of the namespace `crypto`. */
export const crypto: AnswersOf<'crypto'> = {
  'crypto.paymentMethods': () => ({ methods: enabledPaymentMethods() }),
  'crypto.networks': () => ({ networks: enabledNetworks() }),
};
