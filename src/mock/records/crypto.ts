import type { CryptoNetwork, CryptoPaymentMethod } from '../../contract/schema/crypto.js';
import { MockPlatformError, requireValid } from '../base/mock-error.js';
import { copyOf, deepFreeze, omitUndefined } from '../base/freeze.js';
import { catalogChanges, type MockCryptoInput } from '../data/crypto-catalog.js';

import type { OrganizationState } from '../state/platform-state.js';

/**
 * The crypto networks and payment methods that are enabled for an organization. The quotes of `quotes.add` do not
 * depend on them.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.crypto.remove('POLYGON', 'USDT');
 * platform.crypto.remove('TRON');
 * const paymentMethods = platform.crypto.paymentMethods().map((method) => ({ ...method, networkFeeUsd: '9.99' }));
 * platform.crypto.update({ paymentMethods });
 * ```
 */
export interface MockCrypto {
  /** Returns the enabled networks. */
  networks(): readonly CryptoNetwork[];
  /** Returns the enabled payment methods. */
  paymentMethods(): readonly CryptoPaymentMethod[];
  /** Replaces the networks, the payment methods, or both. Throws `MockPlatformError` if one violates the contract. */
  update(changes: MockCryptoInput): void;
  /**
   * Disables a network with its payment methods, or only one of its tokens. Throws `MockPlatformError` if it is not
   * enabled.
   */
  remove(network: string, token?: string): void;
}

/** Creates the public interface of the crypto networks and payment methods. */
export function cryptoRecords(organization: OrganizationState): MockCrypto {
  return {
    networks: () => organization.crypto.networks,
    paymentMethods: () => organization.crypto.paymentMethods,
    update: (changes) => {
      requireValid('crypto.update', catalogChanges, changes, 'the catalog');
      organization.crypto = deepFreeze({ ...organization.crypto, ...omitUndefined(copyOf(changes)) });
    },
    remove: (network, token) => {
      const { networks, paymentMethods } = organization.crypto;
      const kept = paymentMethods.filter(
        (method) => method.network !== network || (token !== undefined && method.token !== token),
      );
      const rest = token === undefined ? networks.filter(({ id }) => id !== network) : networks;
      if (kept.length === paymentMethods.length && rest.length === networks.length)
        throw new MockPlatformError(
          `crypto.remove: ${JSON.stringify(token === undefined ? network : `${token} on ${network}`)} is not ` +
            `enabled. Call crypto.${token === undefined ? 'networks' : 'paymentMethods'} for the enabled ones.`,
        );
      organization.crypto = deepFreeze({ networks: rest, paymentMethods: kept });
    },
  };
}
