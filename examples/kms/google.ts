import { createHash } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import type { Signer } from 'corridor-sdk';

/**
 * Signs with Google Cloud KMS. `keyVersion` returns the resource name of the current version of a key of the algorithm
 * RSA_SIGN_PKCS1_2048_SHA256; its last segment becomes the token's `kid`.
 */
export function googleSigner(kms: KeyManagementServiceClient, keyVersion: () => string): Signer {
  return async (bytes) => {
    const [{ signature, name }] = await kms.asymmetricSign({
      name: keyVersion(),
      digest: { sha256: createHash('sha256').update(bytes).digest() },
    });
    if (!(signature instanceof Uint8Array)) throw new Error('Google Cloud KMS returned no signature');
    const keyId = name?.split('/').at(-1);
    return keyId === undefined ? signature : { signature, keyId };
  };
}
