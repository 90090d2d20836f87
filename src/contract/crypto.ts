import { amount, id, integer, text } from './field.js';
import { lazily, list, record, type Schema } from './schema.js';

/** A token on a network that payments can be funded with. */
export interface CryptoPaymentMethod {
  /** The token. */
  readonly token: string;
  /** The network. */
  readonly network: string;
  /** The network's name for people. */
  readonly networkLabel: string;
  /** The network's fee, in US dollars. */
  readonly networkFeeUsd: string;
  /** The token's contract. */
  readonly contractAddress: string;
  /** How many decimal places the token has. */
  readonly decimals: number;
}

/** A blockchain network that is enabled. */
export interface CryptoNetwork {
  /** The network's id. */
  readonly id: string;
  /** Its name for people. */
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

/** The enabled payment methods. */
export const cryptoPaymentMethods: Schema<CryptoPaymentMethodEnvelope> = lazily(() =>
  record<CryptoPaymentMethodEnvelope>({
    methods: list(record<CryptoPaymentMethod>({
      token: text(), network: text(), networkLabel: text(), networkFeeUsd: amount(), contractAddress: text(), decimals: integer(),
    })),
  }),
);

/** The enabled networks. */
export const cryptoNetworks: Schema<CryptoNetworkEnvelope> = lazily(() =>
  record<CryptoNetworkEnvelope>({
    networks: list(record<CryptoNetwork>({ id: id(), displayName: text(), nativeAssetSymbol: text() })),
  }),
);
