import { bindMethods } from '../core/bind-methods.js';
import { mapResponse, extractArray, type ApiPromise } from '../core/api-promise.js';
import type { CryptoNetwork, CryptoPaymentMethod } from '../contract/schema/crypto.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { Sender } from '../transport/call.js';

/** Crypto payment methods and networks: `corridor.crypto`. */
export class CryptoResource {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
    bindMethods(this);
  }

  /**
   * Lists the enabled payment methods: each is a token on a network.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const method of await corridor.crypto.paymentMethods())
   *   console.log(method.token, method.networkLabel, method.networkFeeUsd);
   * ```
   * Calls `GET /api/v1/crypto/payment-methods`.
   */
  paymentMethods(options: RequestOptions = {}): ApiPromise<readonly CryptoPaymentMethod[]> {
    return mapResponse(this.#sender.send('crypto.paymentMethods', {}, options), (data, metadata) =>
      extractArray('crypto.paymentMethods', data, 'methods', metadata, this.#sender),
    );
  }

  /**
   * Lists the enabled blockchain networks.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const network of await corridor.crypto.networks())
   *   console.log(network.displayName, network.nativeAssetSymbol);
   * ```
   * Calls `GET /api/v1/crypto/networks`.
   */
  networks(options: RequestOptions = {}): ApiPromise<readonly CryptoNetwork[]> {
    return mapResponse(this.#sender.send('crypto.networks', {}, options), (data, metadata) =>
      extractArray('crypto.networks', data, 'networks', metadata, this.#sender),
    );
  }
}
