import { createHash } from 'node:crypto';
import { apiKey, recordPath, type ClientSettings, type ReadRecord } from './client.ts';

/** The three libraries under the product, put together in the obvious way. */
export async function libraries({ url, privateKey }: ClientSettings, schema: 'zod' | 'zod/mini'): Promise<ReadRecord> {
  const [{ default: ky }, { SignJWT, importPKCS8 }, z] = await Promise.all([
    import('ky'),
    import('jose'),
    schema === 'zod' ? import('zod') : import('zod/mini'),
  ]);
  const key = await importPKCS8(privateKey, 'RS256');
  const record = z.object({ id: z.string() });
  return async () => {
    const claims = { uri: recordPath, jti: crypto.randomUUID() };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(key);
    return record.parse(
      await ky(url + recordPath, { headers: { 'x-api-key': apiKey, authorization: `Bearer ${token}` } }).json(),
    );
  };
}

/** ky and the `SignJWT` of jose as their documentation shows them: a hook adds a token with the claims of the product. */
export async function kyWithJose({ url, privateKey }: ClientSettings): Promise<ReadRecord> {
  const [{ default: ky }, { SignJWT, importPKCS8 }] = await Promise.all([import('ky'), import('jose')]);
  const key = await importPKCS8(privateKey, 'RS256');
  const bodyHash = createHash('sha256').digest('hex');
  const client = ky.create({
    prefix: url,
    headers: { 'x-api-key': apiKey },
    hooks: {
      beforeRequest: [
        async ({ request }) => {
          const { pathname, search } = new URL(request.url);
          const token = await new SignJWT({ uri: pathname + search, bodyHash })
            .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
            .setIssuedAt()
            .setExpirationTime('1m')
            .setJti(crypto.randomUUID())
            .sign(key);
          request.headers.set('authorization', `Bearer ${token}`);
        },
      ],
    },
  });
  return () => client(recordPath.slice(1)).json();
}
