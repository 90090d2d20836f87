import { createHash } from 'node:crypto';
import { SignCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { Signer } from 'corridor-sdk';

/**
 * Signs with AWS KMS: `new Corridor({ signer: awsSigner(new KMSClient(), 'alias/corridor'), keyId })`. The key must be
 * RSA_2048 or longer, for signing.
 */
export function awsSigner(kms: KMSClient, key: string): Signer {
  return async (bytes) => {
    const { Signature } = await kms.send(
      new SignCommand({
        KeyId: key,
        Message: createHash('sha256').update(bytes).digest(),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
      }),
    );
    if (Signature === undefined) throw new Error('AWS KMS returned no signature');
    return Signature;
  };
}
