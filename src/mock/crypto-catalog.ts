import type { CryptoNetwork, CryptoPaymentMethod } from '../contract/crypto.js';
import type { QuoteNetwork, QuoteToken } from '../contract/quotes.js';
import { fingerprint } from './random.js';

interface CatalogNetwork {
  readonly displayName: string;
  readonly nativeAssetSymbol: string;
  readonly feeUsd: string;
  readonly tokens: readonly QuoteToken[];
  readonly addressPrefix: string;
}

const catalog: { readonly [N in QuoteNetwork]: CatalogNetwork } = {
  ETHEREUM: { displayName: 'Ethereum', nativeAssetSymbol: 'ETH', feeUsd: '2.40', tokens: ['USDC', 'USDT'], addressPrefix: '0x' },
  ETHEREUM_SEPOLIA: { displayName: 'Ethereum Sepolia', nativeAssetSymbol: 'ETH', feeUsd: '0.00', tokens: ['USDC', 'USDT'], addressPrefix: '0x' },
  POLYGON: { displayName: 'Polygon', nativeAssetSymbol: 'POL', feeUsd: '0.05', tokens: ['USDC', 'USDT'], addressPrefix: '0x' },
  POLYGON_AMOY: { displayName: 'Polygon Amoy', nativeAssetSymbol: 'POL', feeUsd: '0.00', tokens: ['USDC'], addressPrefix: '0x' },
  SOLANA: { displayName: 'Solana', nativeAssetSymbol: 'SOL', feeUsd: '0.02', tokens: ['USDC', 'USDT'], addressPrefix: 'S' },
  SOLANA_DEVNET: { displayName: 'Solana Devnet', nativeAssetSymbol: 'SOL', feeUsd: '0.00', tokens: ['USDC'], addressPrefix: 'S' },
  TRON: { displayName: 'Tron', nativeAssetSymbol: 'TRX', feeUsd: '1.10', tokens: ['USDT'], addressPrefix: 'T' },
  TRON_NILE: { displayName: 'Tron Nile', nativeAssetSymbol: 'TRX', feeUsd: '0.00', tokens: ['USDT'], addressPrefix: 'T' },
};

const entries = Object.entries(catalog) as [QuoteNetwork, CatalogNetwork][];

/** What a payment on a network costs, in US dollars. */
export function networkFeeUsd(network: string): string {
  return entries.find(([id]) => id === network)?.[1].feeUsd ?? '1.00';
}

/** The networks the mock has enabled. */
export function enabledNetworks(): CryptoNetwork[] {
  return entries.map(([id, { displayName, nativeAssetSymbol }]) => ({ id, displayName, nativeAssetSymbol }));
}

/** The tokens the mock has enabled, by network. The contracts are invented: nothing can be sent to them. */
export function enabledPaymentMethods(): CryptoPaymentMethod[] {
  return entries.flatMap(([network, { displayName, feeUsd, tokens, addressPrefix }]) =>
    tokens.map((token) => ({
      token,
      network,
      networkLabel: displayName,
      networkFeeUsd: feeUsd,
      contractAddress: `${addressPrefix}${fingerprint(`${token} on ${network}`)}${fingerprint(network).slice(0, 8)}`,
      decimals: 6,
    })),
  );
}
