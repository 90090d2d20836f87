import { amount, id, integer, string, memoize, array, strictObject, type Schema } from './schema.js';

/** A token on a network with which payments can be funded. */
export interface CryptoPaymentMethod {
  /** The token. */
  readonly token: string;
  /** The network. */
  readonly network: string;
  /** The display name of the network. */
  readonly networkLabel: string;
  /** The network's fee, in US dollars. */
  readonly networkFeeUsd: string;
  /** The token's contract. */
  readonly contractAddress: string;
  /** The number of decimal places of the token. */
  readonly decimals: number;
}

/** An enabled blockchain network. */
export interface CryptoNetwork {
  /** The network's id. */
  readonly id: string;
  /** Its display name. */
  readonly displayName: string;
  /** The symbol of its native asset. */
  readonly nativeAssetSymbol: string;
}

/** The envelope of the payment methods. */
export interface CryptoPaymentMethodEnvelope {
  /** The methods. */
  readonly methods: readonly CryptoPaymentMethod[];
}

/** The envelope of the networks. */
export interface CryptoNetworkEnvelope {
  /** The networks. */
  readonly networks: readonly CryptoNetwork[];
}

/** A payment method. */
export const cryptoPaymentMethod: Schema<CryptoPaymentMethod> = memoize(() =>
  strictObject<CryptoPaymentMethod>({
    token: string(),
    network: string(),
    networkLabel: string(),
    networkFeeUsd: amount(),
    contractAddress: string(),
    decimals: integer(),
  }),
);

/** A network. */
export const cryptoNetwork: Schema<CryptoNetwork> = memoize(() =>
  strictObject<CryptoNetwork>({ id: id(), displayName: string(), nativeAssetSymbol: string() }),
);

/** The enabled payment methods. */
export const cryptoPaymentMethods: Schema<CryptoPaymentMethodEnvelope> = memoize(() =>
  strictObject<CryptoPaymentMethodEnvelope>({ methods: array(cryptoPaymentMethod()) }),
);

/** The enabled networks. */
export const cryptoNetworks: Schema<CryptoNetworkEnvelope> = memoize(() =>
  strictObject<CryptoNetworkEnvelope>({ networks: array(cryptoNetwork()) }),
);
