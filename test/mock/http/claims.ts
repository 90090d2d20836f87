import { SignJWT } from 'jose';
import { start } from '../fixture.ts';
import type { SignedRequest } from '../sign.ts';

export const seconds = Date.parse(start) / 1000;
export const path = '/api/v1/crypto/networks';
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const goodClaims = { iat: seconds, exp: seconds + 60, uri: path, bodyHash: emptyHash };

export async function tokenSignedWith(alg: string, key: CryptoKey | Uint8Array): Promise<Partial<SignedRequest>> {
  const token = await new SignJWT({ ...goodClaims, jti: '1' }).setProtectedHeader({ alg }).sign(key);
  return { headers: { authorization: `Bearer ${token}` } };
}
