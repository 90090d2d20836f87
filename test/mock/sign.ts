import { importPKCS8, SignJWT } from 'jose';

/** The credentials to sign a request. */
interface Signer {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly privateKey: () => Promise<string>;
  readonly fetch?: (input: string, init?: RequestInit) => Promise<Response>;
  readonly now: () => number;
}

/** A request, and its differences from a correctly signed one. */
export interface SignedRequest {
  readonly method?: string;
  readonly path: string;
  readonly json?: unknown;
  readonly text?: string;
  readonly claims?: Record<string, unknown>;
  readonly headers?: Record<string, string | undefined>;
  readonly signal?: AbortSignal;
}

const keys = new Map<string, Promise<CryptoKey>>();

/** Signs a token without the SDK, as a client in any language would. */
async function tokenFor(
  signer: Signer,
  uri: string,
  body: string,
  claims: Record<string, unknown> = {},
): Promise<string> {
  const pem = await signer.privateKey();
  // Node sometimes rejects a valid key because of an unrelated earlier OpenSSL error.
  const key = keys.get(pem) ?? importPKCS8(pem, 'RS256').catch(() => importPKCS8(pem, 'RS256'));
  keys.set(pem, key);
  const iat = Math.floor(signer.now() / 1000);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  const bodyHash = Buffer.from(digest).toString('hex');
  return new SignJWT({ iat, exp: iat + 60, jti: crypto.randomUUID(), uri, bodyHash, ...claims })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(await key);
}

/** Sends a signed request. */
export async function send(
  signer: Signer,
  { method = 'GET', path, json, text, claims, headers, signal }: SignedRequest,
): Promise<Response> {
  const body = text ?? (json === undefined ? '' : JSON.stringify(json));
  const { pathname, search } = new URL(`${signer.baseUrl}${path}`);
  const all = {
    'x-api-key': signer.apiKey,
    authorization: `Bearer ${await tokenFor(signer, `${pathname}${search}`, body, claims)}`,
    ...(body !== '' && { 'content-type': 'application/json' }),
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const init: RequestInit = { method, headers: sent, ...(body !== '' && { body }), ...(signal && { signal }) };
  return (signer.fetch ?? fetch)(`${signer.baseUrl}${path}`, init);
}

/** Sends a signed request and parses the body of the response as JSON. */
export async function call<Body = unknown>(
  signer: Signer,
  request: SignedRequest,
): Promise<{ status: number; headers: Headers; body: Body }> {
  const response = await send(signer, request);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
  };
}
