import { sign } from 'node:crypto';
import { Corridor, type CorridorOptions } from 'corridor-sdk';

/**
 * The function of a KMS: RSASSA-PKCS1-v1_5 with SHA-256 (RS256) over the passed bytes, with a key that never leaves it.
 */
export interface KeyManagement {
  sign(keyName: string, bytes: Uint8Array): Promise<Uint8Array>;
}

/** A client whose private key stays in a KMS. */
export function corridorWithKms(kms: KeyManagement, keyName: string, options: CorridorOptions = {}): Corridor {
  return new Corridor({ ...options, signer: (bytes) => kms.sign(keyName, bytes) });
}

// node examples/kms-signer.ts
if (import.meta.main) {
  // This example uses node:crypto instead of a KMS.
  const standIn: KeyManagement = {
    sign: async (_keyName, bytes) => sign('sha256', bytes, process.env['CORRIDOR_PRIVATE_KEY'] ?? ''),
  };
  const corridor = corridorWithKms(standIn, 'partner-signing-key');
  console.log(await corridor.crypto.networks());
}
