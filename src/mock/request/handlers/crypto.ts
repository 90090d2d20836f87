import type { HandlersFor } from './handler.js';

/** The handlers of the namespace `crypto`. */
export const crypto: HandlersFor<'crypto'> = {
  'crypto.paymentMethods': ({ organization }) => ({ methods: organization.crypto.paymentMethods }),
  'crypto.networks': ({ organization }) => ({ networks: organization.crypto.networks }),
};
