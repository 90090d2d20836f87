import { bindMethods } from '../core/bind-methods.js';
import { mapResponse, extractArray, type ApiPromise } from '../core/api-promise.js';
import type { CryptoNetwork, CryptoPaymentMethod } from '../contract/schema/crypto.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { ResourceOptions } from '../core/pagination.js';

/** Crypto payment methods and networks: `corridor.crypto`. */
export class CryptoResource {
  readonly #resource: ResourceOptions;

  /** @internal */
  constructor(resource: ResourceOptions) {
    this.#resource = resource;
    bindMethods(this);
  }

  /**
   * Lists the enabled payment methods: each is a token on a network.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const method of await corridor.crypto.paymentMethods()) console.log(method.token, method.networkLabel, method.networkFeeUsd);
   * ```
   * Calls `GET /api/v1/crypto/payment-methods`.
   */
  paymentMethods(options: RequestOptions = {}): ApiPromise<readonly CryptoPaymentMethod[]> {
    return mapResponse(this.#resource.send('crypto.paymentMethods', {}, options), (data, metadata) =>
      extractArray('crypto.paymentMethods', data, 'methods', metadata, this.#resource),
    );
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
  networks(options: RequestOptions = {}): ApiPromise<readonly CryptoNetwork[]> {
    return mapResponse(this.#resource.send('crypto.networks', {}, options), (data, metadata) =>
      extractArray('crypto.networks', data, 'networks', metadata, this.#resource),
    );
  }
}
