import { importPKCS8, SignJWT } from 'jose';

/** What requests are signed with. */
export interface Signer {
  readonly apiKey: string;
  readonly privateKey: string;
}

/** A request with its credentials, as docs/signing.md says they are made; nothing of corridor-sdk takes part. */
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
