import { request as undiciRequest } from 'undici';
import { apiKey, recordPath, type ClientSettings, type ReadRecord } from './client.ts';

/** Signs the same claims as the product with the minimum of code: WebCrypto and a key that is imported once. */
export async function signer(privateKey: string): Promise<(uri: string) => Promise<string>> {
  const der = Uint8Array.from(atob(privateKey.replaceAll(/-----[^-]+-----|\s/g, '')), (symbol) => symbol.charCodeAt(0));
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  const encoder = new TextEncoder();
  const header = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url');
  const emptyHash = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(0))).toString('hex');
  return async (uri) => {
    const iat = Math.floor(Date.now() / 1000);
    const claims = Buffer.from(
      JSON.stringify({ iat, exp: iat + 60, jti: crypto.randomUUID(), uri, bodyHash: emptyHash }),
    ).toString('base64url');
    const signature = await crypto.subtle.sign(algorithm.name, key, encoder.encode(`${header}.${claims}`));
    return `${header}.${claims}.${Buffer.from(signature).toString('base64url')}`;
  };
}

const headersWith = (token: string): Record<string, string> => ({
  accept: 'application/json',
  'x-api-key': apiKey,
  authorization: `Bearer ${token}`,
});

/** `fetch` and WebCrypto by hand: no retries, no deadline, no checks. */
export async function fetchFloor({ url, privateKey }: ClientSettings): Promise<ReadRecord> {
  const sign = await signer(privateKey);
  return async () => {
    const response = await fetch(url + recordPath, { headers: headersWith(await sign(recordPath)) });
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  };
}

/** The same through ky with its features disabled: a lower bound for the product. */
export async function kyFloor({ url, privateKey }: ClientSettings): Promise<ReadRecord> {
  const [{ default: ky }, sign] = await Promise.all([import('ky'), signer(privateKey)]);
  const instance = ky.create({
    prefix: url,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    hooks: {},
  });
  const signedFetch = async (request: string | URL | Request): Promise<Response> =>
    fetch((request as Request).url, { headers: headersWith(await sign(recordPath)) });
  return async () => {
    const response = await instance(recordPath.slice(1), { fetch: signedFetch });
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  };
}

/** The same over undici's `request`. */
export async function undiciFloor({ url, privateKey }: ClientSettings): Promise<ReadRecord> {
  const sign = await signer(privateKey);
  return async () => {
    const { statusCode, body } = await undiciRequest(url + recordPath, {
      headers: headersWith(await sign(recordPath)),
    });
    if (statusCode !== 200) throw new Error(String(statusCode));
    return body.json();
  };
}

type OnPage = (items: readonly unknown[]) => Promise<void>;

/** One page after another with `fetch`, as one would write it. */
export async function fetchPages(settings: ClientSettings, onPage: OnPage): Promise<number> {
  return readPages(settings, onPage, async (url, signed) => (await signed(url)).json());
}

/** The same with ky. */
export async function kyPages(settings: ClientSettings, onPage: OnPage): Promise<number> {
  const { default: ky } = await import('ky');
  const instance = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
  return readPages(settings, onPage, (url, signed) => instance(url, { fetch: () => signed(url) }).json());
}

async function readPages(
  { url, privateKey }: ClientSettings,
  onPage: OnPage,
  read: (url: string, signed: (url: string) => Promise<Response>) => Promise<unknown>,
): Promise<number> {
  const sign = await signer(privateKey);
  const { origin } = new URL(url);
  const signed = async (page: string): Promise<Response> =>
    fetch(page, { headers: headersWith(await sign(page.slice(origin.length))) });
  let requests = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const address = `${url}/api/v1/payment?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = (await read(address, signed)) as {
      readonly items: readonly unknown[];
      readonly nextCursor: string | null;
    };
    requests += 1;
    await onPage(page.items);
    cursor = page.nextCursor;
  }
  return requests;
}
