import {
  cryptoNetwork,
  cryptoPaymentMethod,
  type CryptoNetwork,
  type CryptoPaymentMethod,
} from '../../contract/schema/crypto.js';
import { optionsObject } from '../../contract/options.js';
import type { QuoteNetwork, QuoteToken } from '../../contract/schema/quotes.js';
import { array, memoize, type Schema } from '../../contract/schema/schema.js';
import { deepFreeze } from '../base/freeze.js';
import { fingerprint } from './random.js';

interface CatalogNetwork {
  readonly displayName: string;
  readonly nativeAssetSymbol: string;
  readonly feeUsd: string;
  readonly tokens: readonly [QuoteToken, ...QuoteToken[]];
  readonly addressPrefix: string;
}

const catalog: { readonly [N in QuoteNetwork]: CatalogNetwork } = {
  ETHEREUM: {
    displayName: 'Ethereum',
    nativeAssetSymbol: 'ETH',
    feeUsd: '2.40',
    tokens: ['USDC', 'USDT'],
    addressPrefix: '0x',
  },
  ETHEREUM_SEPOLIA: {
    displayName: 'Ethereum Sepolia',
    nativeAssetSymbol: 'ETH',
    feeUsd: '0.00',
    tokens: ['USDC', 'USDT'],
    addressPrefix: '0x',
  },
  POLYGON: {
    displayName: 'Polygon',
    nativeAssetSymbol: 'POL',
    feeUsd: '0.05',
    tokens: ['USDC', 'USDT'],
    addressPrefix: '0x',
  },
  POLYGON_AMOY: {
    displayName: 'Polygon Amoy',
    nativeAssetSymbol: 'POL',
    feeUsd: '0.00',
    tokens: ['USDC'],
    addressPrefix: '0x',
  },
  SOLANA: {
    displayName: 'Solana',
    nativeAssetSymbol: 'SOL',
    feeUsd: '0.02',
    tokens: ['USDC', 'USDT'],
    addressPrefix: 'S',
  },
  SOLANA_DEVNET: {
    displayName: 'Solana Devnet',
    nativeAssetSymbol: 'SOL',
    feeUsd: '0.00',
    tokens: ['USDC'],
    addressPrefix: 'S',
  },
  TRON: { displayName: 'Tron', nativeAssetSymbol: 'TRX', feeUsd: '1.10', tokens: ['USDT'], addressPrefix: 'T' },
  TRON_NILE: {
    displayName: 'Tron Nile',
    nativeAssetSymbol: 'TRX',
    feeUsd: '0.00',
    tokens: ['USDT'],
    addressPrefix: 'T',
  },
};

const entries = Object.entries(catalog) as [QuoteNetwork, CatalogNetwork][];

/** Returns whether quotes can be paid on a network. */
export function isQuoteNetwork(network: unknown): network is QuoteNetwork {
  return entries.some(([id]) => id === network);
}

/** Returns whether quotes can be paid in a token. */
export function isQuoteToken(token: unknown): token is QuoteToken {
  return entries.some(([, { tokens }]) => (tokens as readonly unknown[]).includes(token));
}

/** Returns the tokens that can be paid on a network; all of them if the network is unknown or undefined. */
export function tokensOn(network: string | undefined): readonly [QuoteToken, ...QuoteToken[]] {
  return entries.find(([id]) => id === network)?.[1].tokens ?? ['USDC', 'USDT'];
}

/** Returns the fee of a payment on a network, in US dollars. */
export function networkFeeUsd(network: string): string {
  return entries.find(([id]) => id === network)?.[1].feeUsd ?? '1.00';
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
