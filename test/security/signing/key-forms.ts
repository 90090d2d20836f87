import { createPrivateKey } from 'node:crypto';
import { privateKey as pkcs8 } from '../../support/key.ts';
import { selfSigned } from '../../support/certificate.ts';

export const key = createPrivateKey(pkcs8);
export const jwk = key.export({ format: 'jwk' }) as JsonWebKey;
export const certificate = selfSigned(key);
export const binary = (type: 'pkcs8' | 'pkcs1'): Buffer => key.export({ type, format: 'der' });
