import { Corridor } from 'corridor-sdk';

/** A token and its networks. */
export interface TokenOnNetworks {
  readonly token: string;
  /** The networks, each with its fee in US dollars, as a decimal string. */
  readonly networks: readonly { readonly name: string; readonly nativeAsset: string; readonly feeUsd: string }[];
}

/** Lists the tokens a payment can be funded with, each with its networks. */
export async function listCryptoMethods(corridor: Corridor): Promise<TokenOnNetworks[]> {
  const [methods, networks] = await Promise.all([corridor.crypto.paymentMethods(), corridor.crypto.networks()]);
  const assets = new Map(networks.map(({ id, nativeAssetSymbol }) => [id, nativeAssetSymbol]));
  return [...Map.groupBy(methods, ({ token }) => token)].map(([token, group]) => ({
    token,
    networks: group.map(({ network, networkLabel, networkFeeUsd }) => ({
      name: networkLabel,
      nativeAsset: assets.get(network) ?? '',
      feeUsd: networkFeeUsd,
    })),
  }));
}

// node examples/list-crypto-methods.ts
if (import.meta.main) console.log(JSON.stringify(await listCryptoMethods(new Corridor()), undefined, 2));
