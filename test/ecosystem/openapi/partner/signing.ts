import { importPKCS8, SignJWT } from 'jose';

/** The credentials that sign requests. */
export interface Signer {
  readonly apiKey: string;
  readonly privateKey: string;
}

/** Signs a request by the steps of docs/signing.md, without corridor-sdk. */
export async function signed(request: Request, { apiKey, privateKey }: Signer): Promise<Request> {
  const { pathname, search } = new URL(request.url);
  const digest = await crypto.subtle.digest('SHA-256', await request.clone().arrayBuffer());
  const token = await new SignJWT({ uri: `${pathname}${search}`, bodyHash: Buffer.from(digest).toString('hex') })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuedAt()
    .setExpirationTime('60s')
    .setJti(crypto.randomUUID())
    .sign(await importPKCS8(privateKey, 'RS256'));
  const headers = new Headers(request.headers);
  headers.set('x-api-key', apiKey);
  headers.set('authorization', `Bearer ${token}`);
  return new Request(request, { headers });
}
