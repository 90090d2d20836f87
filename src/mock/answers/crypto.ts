import type { Answers } from '../call.js';
import { enabledNetworks, enabledPaymentMethods } from '../crypto-catalog.js';

/** The answers of the namespace `crypto`. */
export const crypto: Pick<Answers, 'crypto.paymentMethods' | 'crypto.networks'> = {
  'crypto.paymentMethods': () => ({ methods: enabledPaymentMethods() }),
  'crypto.networks': () => ({ networks: enabledNetworks() }),
};
