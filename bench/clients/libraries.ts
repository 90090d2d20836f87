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
