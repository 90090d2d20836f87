import { createHash } from 'node:crypto';
import type { CryptographyClient } from '@azure/keyvault-keys';
import type { Signer } from 'corridor-sdk';

/**
 * Signs with Azure Key Vault. `current` returns a client whose key id contains the version of the current key
 * (`https://…/keys/name/version`); the version becomes the token's `kid`.
 */
export function azureSigner(current: () => CryptographyClient): Signer {
  return async (bytes) => {
    const client = current();
    const digest = createHash('sha256').update(bytes).digest();
    const { result } = await client.sign('RS256', digest);
    const keyId = client.keyID?.split('/')[5];
    return keyId === undefined ? result : { signature: result, keyId };
  };
}
