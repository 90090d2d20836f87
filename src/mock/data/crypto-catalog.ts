import {
  cryptoNetwork,
  cryptoPaymentMethod,
  type CryptoNetwork,
  type CryptoPaymentMethod,
} from '../../contract/schema/crypto.js';
import { optionsObject } from '../../contract/option-schemas.js';
import type { QuoteNetwork, QuoteToken } from '../../contract/schema/quotes.js';
import { array, memoize, type Schema } from '../../contract/schema/schema.js';
import { deepFreeze } from '../base/freeze.js';
import { fingerprint } from './random.js';

interface CatalogNetwork {
  readonly displayName: string;
  readonly nativeAssetSymbol: string;
  readonly feeUsd: string;
  readonly tokens: readonly QuoteToken[];
  readonly addressPrefix: string;
}

const catalogNetwork = (
  displayName: string,
  nativeAssetSymbol: string,
  feeUsd: string,
  addressPrefix: string,
  ...tokens: readonly QuoteToken[]
): CatalogNetwork => ({ displayName, nativeAssetSymbol, feeUsd, tokens, addressPrefix });

const catalog: { readonly [N in QuoteNetwork]: CatalogNetwork } = {
  ETHEREUM: catalogNetwork('Ethereum', 'ETH', '2.40', '0x', 'USDC', 'USDT'),
  ETHEREUM_SEPOLIA: catalogNetwork('Ethereum Sepolia', 'ETH', '0.00', '0x', 'USDC', 'USDT'),
  POLYGON: catalogNetwork('Polygon', 'POL', '0.05', '0x', 'USDC', 'USDT'),
  POLYGON_AMOY: catalogNetwork('Polygon Amoy', 'POL', '0.00', '0x', 'USDC'),
  SOLANA: catalogNetwork('Solana', 'SOL', '0.02', 'S', 'USDC', 'USDT'),
  SOLANA_DEVNET: catalogNetwork('Solana Devnet', 'SOL', '0.00', 'S', 'USDC'),
  TRON: catalogNetwork('Tron', 'TRX', '1.10', 'T', 'USDT'),
  TRON_NILE: catalogNetwork('Tron Nile', 'TRX', '0.00', 'T', 'USDT'),
};

const entries = Object.entries(catalog) as [QuoteNetwork, CatalogNetwork][];

/** Returns whether quotes can be paid on a network. */
export function isQuoteNetwork(network: unknown): network is QuoteNetwork {
  return typeof network === 'string' && Object.hasOwn(catalog, network);
}

/** Returns whether quotes can be paid in a token. */
export function isQuoteToken(token: unknown): token is QuoteToken {
  return entries.some(([, { tokens }]) => tokens.some((each) => each === token));
}

/** Returns the tokens that can be paid on a network; all of them if the network is unknown or undefined. */
export function tokensOn(network: string | undefined): readonly QuoteToken[] {
  return isQuoteNetwork(network) ? catalog[network].tokens : ['USDC', 'USDT'];
}

/** Returns the fee of a payment on a network, in US dollars. */
export function networkFeeUsd(network: string): string {
  return isQuoteNetwork(network) ? catalog[network].feeUsd : '1.00';
}

/** The crypto networks and payment methods of an organization. */
export interface CryptoCatalog {
  readonly networks: readonly CryptoNetwork[];
  readonly paymentMethods: readonly CryptoPaymentMethod[];
}

/** The networks and payment methods that are enabled by default. The contract addresses are fictional and invalid. */
export const defaultCatalog: CryptoCatalog = deepFreeze({
  networks: entries.map(([id, { displayName, nativeAssetSymbol }]) => ({ id, displayName, nativeAssetSymbol })),
  paymentMethods: entries.flatMap(([network, { displayName, feeUsd, tokens, addressPrefix }]) =>
    tokens.map((token) => ({
      token,
      network,
      networkLabel: displayName,
      networkFeeUsd: feeUsd,
      contractAddress: `${addressPrefix}${fingerprint(`${token} on ${network}`)}${fingerprint(network).slice(0, 8)}`,
      decimals: 6,
    })),
  ),
});

/** The input of `crypto.update`. */
export interface MockCryptoInput {
  /** The networks that replace the present ones. */
  readonly networks?: readonly CryptoNetwork[] | undefined;
  /** The payment methods that replace the present ones. */
  readonly paymentMethods?: readonly CryptoPaymentMethod[] | undefined;
}

/** The schema of changes to a catalog. */
export const catalogChanges: Schema<MockCryptoInput> = memoize(() =>
  optionsObject<MockCryptoInput>({ networks: array(cryptoNetwork()), paymentMethods: array(cryptoPaymentMethod()) }),
);
