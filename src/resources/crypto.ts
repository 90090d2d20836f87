import { callOf, listIn, type ApiCall } from '../api-call.js';
import type { CryptoNetwork, CryptoPaymentMethod } from '../contract/crypto.js';
import type { RequestOptions } from '../transport/request.js';
import type { ResourceOptions } from './list.js';

/** Crypto payment methods and networks: `corridor.crypto`. */
export class Crypto {
  readonly #resource: ResourceOptions;

  /** Made by the client. */
  constructor(resource: ResourceOptions) {
    this.#resource = resource;
  }

  /**
   * Lists the enabled payment methods: tokens on networks.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const method of await corridor.crypto.paymentMethods()) console.log(method.token, method.networkLabel, method.networkFeeUsd);
   * ```
   * Calls `GET /api/v1/crypto/payment-methods`.
   */
  paymentMethods(options: RequestOptions = {}): ApiCall<readonly CryptoPaymentMethod[]> {
    return callOf(this.#resource.send('crypto.paymentMethods', {}, options), (data, info) => listIn('crypto.paymentMethods', data, 'methods', info));
  }

  /**
   * Lists the enabled blockchain networks.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const network of await corridor.crypto.networks()) console.log(network.displayName, network.nativeAssetSymbol);
   * ```
   * Calls `GET /api/v1/crypto/networks`.
   */
  networks(options: RequestOptions = {}): ApiCall<readonly CryptoNetwork[]> {
    return callOf(this.#resource.send('crypto.networks', {}, options), (data, info) => listIn('crypto.networks', data, 'networks', info));
  }
}
