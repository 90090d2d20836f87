import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { custom } from '../../contract/option-schemas.js';
import { memoize } from '../../contract/schema/schema.js';
import type { MockHttpRequest, MockHttpResponse } from '../wire/message.js';
import { fail, json } from './control-error.js';

/** Who may use the control API of a server. */
export interface ControlAccessOptions {
  /** The secret that allows every call. */
  readonly token: string;
  /** The host names that requests may have in `Host`, besides those of loopback. */
  readonly allowedHosts: readonly string[];
  /** Whether the server listens on loopback only, so that its callers need no token. */
  readonly isLoopback: boolean;
}

const loopbackHosts: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** The schema of a control token. It is sent in headers and in the fragment of a URL. */
export const controlToken = memoize(() =>
  custom<string>((value) => typeof value === 'string' && /^[\w.~-]{16,200}$/.test(value), {
    rule: 'must have 16 to 200 letters, digits and characters of "-._~"',
    fix: 'Generate one with `openssl rand -hex 32`',
    sensitive: true,
  }),
);

/** Generates a control token. */
export function createControlToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Decides which requests the control API accepts. */
export class ControlAccess {
  readonly #options: ControlAccessOptions;
  readonly #hosts: ReadonlySet<string>;

  constructor(options: ControlAccessOptions) {
    this.#options = options;
    this.#hosts = new Set([...options.allowedHosts.map((host) => host.toLowerCase()), ...loopbackHosts]);
  }

  /**
   * Rejects requests for other hosts, requests of pages of other origins, and requests without valid credentials, if
   * they are required.
   */
  authorize(request: MockHttpRequest): void {
    this.requireAllowedOrigin(request);
    const token = bearerTokenOf(request);
    if (token !== undefined) return this.#requireToken(token);
    if (this.#hasSession(request)) return requireSameOrigin(request);
    if (!this.#options.isLoopback || !loopbackHosts.includes(hostOf(request)))
      fail(
        401,
        'control_token_required',
        'the control API of this server requires its control token. Send it as Authorization: Bearer <token>.',
      );
  }

  /** Rejects requests for other hosts, also those of DNS rebinding, and requests of pages of other origins. */
  requireAllowedOrigin(request: MockHttpRequest): void {
    const { host: received = '', origin: page, 'sec-fetch-site': site } = request.headers;
    const host = hostOf(request);
    if (!this.#hosts.has(host))
      fail(
        403,
        'host_not_allowed',
        `the host ${JSON.stringify(received)} is not allowed ` +
          `(allowed: ${[...this.#hosts].join(', ')}). Start the server with its name as an ` +
          'allowed host.',
      );
    if (page !== undefined && !originsOf(request).includes(page))
      fail(403, 'origin_not_allowed', `requests of pages of ${JSON.stringify(page)} are not allowed`);
    if (site === 'cross-site' || site === 'same-site')
      fail(403, 'origin_not_allowed', 'requests of pages of another origin are not allowed');
  }

  /** Handles `POST /__mock/session`: exchanges the control token for a cookie that scripts cannot read. */
  createSession(request: MockHttpRequest): MockHttpResponse {
    this.requireAllowedOrigin(request);
    if (request.method !== 'POST')
      fail(405, 'method_not_allowed', `session does not accept ${request.method}. Use POST.`);
    this.#requireToken(bearerTokenOf(request) ?? '');
    const cookie = `${cookieName(request)}=${this.#sessionId()}; Path=/__mock; HttpOnly; SameSite=Strict`;
    return json(200, null, { 'set-cookie': cookie });
  }

  #requireToken(token: string): void {
    if (!isEqual(token, this.#options.token))
      fail(
        401,
        'invalid_control_token',
        'the control token is not valid. Send the token that the server printed when it started.',
      );
  }

  #hasSession(request: MockHttpRequest): boolean {
    const name = `${cookieName(request)}=`;
    const cookies = request.headers['cookie']?.split(/; */) ?? [];
    const cookie = cookies.find((each) => each.startsWith(name));
    return cookie !== undefined && isEqual(cookie.slice(name.length), this.#sessionId());
  }

  /** Derived from the token: a page stays signed in when a server with the same token restarts. */
  #sessionId(): string {
    return createHmac('sha256', this.#options.token).update('session').digest('base64url');
  }
}

const hostOf = ({ headers }: MockHttpRequest): string => nameOf(headers['host'] ?? '');

/** Returns the name in a `Host` header, without the port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}

/** Returns the origins of pages that the server itself delivered, also through a proxy that terminates TLS. */
function originsOf({ headers }: MockHttpRequest): string[] {
  const host = (headers['host'] ?? '').toLowerCase();
  return [`http://${host}`, `https://${host}`];
}

/** Rejects changes without an `Origin`, which browsers send with every change: the cookie alone proves nothing. */
function requireSameOrigin(request: MockHttpRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.headers['origin'] !== undefined) return;
  fail(403, 'origin_required', 'changes with the session cookie require the origin header. Send the control token.');
}

/** The cookie's name, with the port: browsers send cookies to all ports of a host. */
function cookieName({ origin }: MockHttpRequest): string {
  return `corridor_mock_${new URL(origin).port}`;
}

function bearerTokenOf({ headers }: MockHttpRequest): string | undefined {
  const value = headers['authorization'];
  return value === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(value)?.[1] ?? '');
}

/** Compares secrets in constant time; the digests have equal lengths. */
function isEqual(received: string, expected: string): boolean {
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(digest(received), digest(expected));
}
