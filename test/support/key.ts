import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The key pair of this process's tests, made once. */
export const privateKey: string = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const publicKey: KeyObject = createPublicKey(pair.privateKey);
