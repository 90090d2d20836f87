import * as http from 'node:http';
import * as https from 'node:https';
import { endpoints, type EndpointDefinition } from '../../contract/endpoints.js';
import { errorIn } from '../../contract/schema/error-body.js';
import type { Issue } from '../../contract/issue.js';
import { createSecretMask, maskCredentials, minSecretLength } from '../../contract/redact.js';
import { writeResponse } from '../adapters/node-http.js';
import { MockPlatformError } from '../base/mock-error.js';
import { definitionOf, deliveryAfter, responseAfter, type MockFault } from '../faults/fault.js';
import type { MockPlatformResponse } from '../faults/response.js';
import type { MockPlatform } from '../platform/platform.js';
import { rejectedClaims } from '../request/authenticate.js';
import { completeResponse, endEntry, errorResponse, pathBelow, startEntry } from '../request/exchange.js';
import { delay } from '../request/fetch.js';
import { recordedBody, validateBody, validateQuery } from '../request/validate.js';
import { HttpError } from '../wire/http-error.js';
import type { MockHttpRequest, MockNoResponse } from '../wire/message.js';
import { logRequest, type LoggedResponse, type RecordedRequestDraft } from '../wire/request-log.js';
import { routeOf } from '../wire/route.js';
import { UpstreamResponse, endToEnd, maxBytes } from './upstream-response.js';
import { Evidence } from './evidence.js';
import { isSuccess, violationsIn, type ObservedExchange } from './observed-exchange.js';

/** The most API keys whose echoes are masked in the responses to other ones. */
const maxKeys = 20;

type Mask = (text: string) => string;
type Logged = LoggedResponse | MockNoResponse;

/** A request that is passed on. */
interface ForwardedRequest {
  readonly received: http.IncomingMessage;
  readonly message: MockHttpRequest;
  readonly response: http.ServerResponse;
  readonly entry: RecordedRequestDraft;
  /** Aborts when the client closes its connection. */
  readonly signal: AbortSignal;
  readonly mask: Mask;
}

/** Passes requests on to a real platform, and compares the exchanges with the contract and the assumptions. */
export class Upstream {
  readonly evidence = new Evidence();
  readonly #url: URL;
  readonly #platform: MockPlatform;
  readonly #agent: http.Agent;
  readonly #secrets = new Map<string, Mask>();

  constructor(url: string, platform: MockPlatform) {
    [this.#url, this.#platform] = [new URL(url), platform];
    const { Agent, globalAgent } = this.#url.protocol === 'https:' ? https : http;
    // With the proxy of the environment. A payment must not meet a connection that the platform has closed meanwhile.
    this.#agent = new Agent({ ...(globalAgent as https.Agent).options, keepAlive: false });
    const order = ['contradicted', 'confirmed', 'not seen'];
    platform.upstream = () => ({
      url,
      rows: this.evidence.rows.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict)),
    });
  }

  /** Passes a request on, and its response back. The log has its entry before the first asynchronous step. */
  async handle(received: http.IncomingMessage, message: MockHttpRequest, response: http.ServerResponse): Promise<void> {
    const state = this.#platform.internals();
    const [organization] = state.organizations;
    const start = performance.now();
    const closed = new AbortController();
    response.once('close', () => response.writableFinished || closed.abort());
    const mask = this.#maskOf(message);
    const path = pathBelow(this.#platform.baseUrl, message.path);
    const route = path === undefined ? undefined : routeOf(message.method, path);
    const endpoint: EndpointDefinition<unknown> | undefined = route && endpoints[route.endpoint];
    const shown = { ...message, search: mask(message.search), headers: masked(message.headers, mask) };
    const entry = startEntry(state, shown, mask(path ?? message.path), route);
    const claims = rejectedClaims(message);
    entry.receivedAt = Date.now();
    entry.params = masked(entry.params, mask);
    entry.organization = organization?.id;
    entry.body = maskedBody(Buffer.from(message.body).toString(), mask);
    entry.claims = claims && (maskedBody(JSON.stringify(claims), mask) as typeof claims);
    entry.issues = requestIssues(state.options, endpoint, message, mask);
    if (organization !== undefined) logRequest(organization.requests, entry, state.options.logSize);
    const forwarded = { received, message, response, entry, signal: closed.signal, mask };
    let logged: Logged | null = null;
    try {
      logged = await this.#pass(forwarded).catch((error: unknown) => this.#fail(forwarded, error));
    } finally {
      closed.abort();
      endEntry(state, entry, logged, start);
    }
  }

  async #pass(forwarded: ForwardedRequest): Promise<Logged> {
    const { message, entry, response, signal } = forwarded;
    assertPassable(message, this.#url);
    const { faults } = this.#platform;
    const drawn = faults.draw(entry, true);
    let { fault } = drawn;
    const definition = fault && definitionOf(fault);
    const effect = fault && definition?.before?.(fault);
    // A request that the platform rejects does not use up a fault that is about its changes.
    const isAboutChanges = fault !== undefined && definition?.needsSuccess?.(fault) === true;
    if (fault?.kind === 'late-commit' || (effect === undefined && fault && needsMock.includes(fault.kind)))
      throw new MockPlatformError(
        `a fault of the kind ${fault.kind} needs the mock: nothing was sent to the platform. Remove it.`,
      );
    if (!isAboutChanges) drawn.use();
    if (effect !== undefined) return this.#respond(forwarded, fault, effect);

    const upstreamResponse = new UpstreamResponse(await this.#send(forwarded));
    if (isAboutChanges) {
      // Another response may have used it up meanwhile.
      const again = faults.draw(entry, true);
      fault = isSuccess(upstreamResponse) && again.fault?.kind === fault?.kind ? again.fault : undefined;
      if (fault !== undefined) again.use();
    }
    entry.fault = fault?.kind;
    entry.status = upstreamResponse.status;
    const delivery = fault && deliveryAfter(fault, true);
    if (delivery?.kind === 'slow') await delay(delivery.delay, signal);
    const isStreamed = delivery === undefined || delivery.kind === 'slow';
    await (isStreamed ? upstreamResponse.passTo(response, signal) : upstreamResponse.read());
    const logged = this.#conclude(forwarded, upstreamResponse);
    if (isStreamed) return logged;
    const { status, headers, bytes } = upstreamResponse;
    writeResponse(response, { status, headers, body: bytes, delivery });
    return { ...logged, delivery };
  }

  /** Sends a request as it was received, to the given host only. */
  #send({ received, message, signal }: ForwardedRequest): Promise<http.IncomingMessage> {
    const { protocol, hostname, port, host } = this.#url;
    return new Promise((resolve, reject) => {
      const outgoing = (protocol === 'https:' ? https : http).request({
        protocol,
        hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
        port,
        agent: this.#agent,
        method: message.method,
        path: message.target,
        headers: ['Host', host, ...endToEnd(received.rawHeaders, ['host'])],
        signal,
        rejectUnauthorized: true,
      } as https.RequestOptions);
      outgoing.on('response', resolve);
      outgoing.on('upgrade', () => reject(new Error('a change of the protocol')));
      outgoing.on('error', reject);
      outgoing.end(message.body);
    });
  }

  /** Compares an exchange with the contract and the assumptions, and returns what the log shows of its response. */
  #conclude({ entry, mask }: ForwardedRequest, upstreamResponse: UpstreamResponse): LoggedResponse {
    const { status, size: bodySize, isWhole } = upstreamResponse;
    const headers = masked(upstreamResponse.headers, mask);
    const received = upstreamResponse.text();
    const text = received === undefined ? null : mask(received);
    const body = recordedBody(Buffer.from(text ?? ''));
    const { requestIdHeaders } = this.#platform.options.dialect;
    const exchange: ObservedExchange = {
      endpoint: entry.endpoint,
      status,
      requestId: requestIdHeaders.map((header) => headers[header.toLowerCase()]).find((id) => id !== undefined),
      headers: new Headers(headers),
      body,
      request: { filters: entry.filters, sentAt: entry.receivedAt, endedAt: Date.now() },
    };
    const violations = isWhole ? violationsIn(exchange) : [];
    entry.responseIssues = violations.map(({ path, message }) => ({ path, message }));
    const { code = `http_${status}`, message = 'no known error body' } = errorIn(body);
    if (status >= 400) entry.error = { status, code, message };
    if (isWhole) this.evidence.add(exchange, entry.requestId);
    return { status, headers, body: text, bodySize, content: (isWhole ? body : null) ?? null };
  }

  /** Responds in place of the platform. */
  async #respond(
    { entry, response }: ForwardedRequest,
    fault: MockFault | undefined,
    effect: HttpError | MockNoResponse | MockPlatformResponse,
  ): Promise<Logged> {
    const { options } = this.#platform;
    entry.fault = fault?.kind;
    let responded: Logged;
    if ('delivery' in effect) responded = effect;
    else {
      const base = effect instanceof HttpError ? errorResponse(options, effect) : effect;
      const planned = fault === undefined ? base : await responseAfter(fault, entry, base);
      if (effect instanceof HttpError && planned.status >= 300)
        entry.error = { status: planned.status, code: effect.code, message: effect.message };
      responded = completeResponse(entry, options, fault, Date.now(), planned);
    }
    writeResponse(response, responded);
    return responded;
  }

  /** Responds to a request that has no response of the platform, or breaks the connection as the platform did. */
  #fail(forwarded: ForwardedRequest, thrown: unknown): Logged | Promise<Logged> {
    const { entry, response, signal } = forwarded;
    const { code = (thrown as Error).message } = thrown as NodeJS.ErrnoException;
    if (signal.aborted || response.headersSent) {
      response.destroy();
      entry.error = signal.aborted
        ? { status: 499, code: 'client_closed', message: 'the client closed its connection before it had the response' }
        : { status: 502, code: 'platform_closed', message: `the platform broke off its response (${code})` };
      return { delivery: { kind: 'reset' } };
    }
    if (thrown instanceof HttpError) return this.#respond(forwarded, undefined, thrown);
    if (thrown instanceof MockPlatformError)
      return this.#respond(forwarded, undefined, new HttpError(501, 'mock_failure', thrown.message));
    const fix = /CERT|ISSUER|SELF_SIGNED|ALTNAME|TLS|SSL/.test(code)
      ? 'If its authority is private, set NODE_EXTRA_CA_CERTS and start again.'
      : 'It may have processed the request. Check the network, and the proxy if there is one.';
    const problem = `${this.#url.host} did not respond to the server in front of it (${forwarded.mask(code)}). ${fix}`;
    return this.#respond(forwarded, undefined, new HttpError(502, 'no_response', problem));
  }

  /** Creates a function that masks the credentials of a request and of earlier ones, other tokens, and signed URLs. */
  #maskOf({ headers: { 'x-api-key': key = '', authorization = '' } }: MockHttpRequest): Mask {
    for (const secret of [key, authorization.replace(/^\S+\s+/, '')]) {
      // Tokens are masked anyway.
      if (secret === '' || /^eyJ[\w-]{8}/.test(secret)) continue;
      const isShort = secret.length < minSecretLength;
      this.#secrets.delete(secret);
      this.#secrets.set(secret, isShort ? (text) => text.replaceAll(secret, '[secret]') : createSecretMask(secret));
      for (const oldest of [...this.#secrets.keys()].slice(0, -maxKeys)) this.#secrets.delete(oldest);
    }
    const masks = [...this.#secrets.values()];
    return (text) => maskCredentials(masks.reduce((clean, mask) => mask(clean), unescaped(text)));
  }
}

/** The faults that change what a platform does or responds with. */
const needsMock: readonly string[] = ['acked-but-lost', 'clock-skew', 'response'] satisfies MockFault['kind'][];

/** Throws an `HttpError` for what is never passed on. */
function assertPassable({ target, body, headers }: MockHttpRequest, { host }: URL): void {
  if (!target.startsWith('/'))
    throw new HttpError(400, 'not_a_path', `only paths of ${host} are passed on. Send a path such as /api/v1/payment`);
  if (body.length > maxBytes)
    throw new HttpError(413, 'body_too_large', `the body is larger than ${maxBytes} bytes, and was not passed on`);
  // A page of the platform would have the origin of the console.
  if (headers['sec-fetch-mode'] === 'navigate')
    throw new HttpError(403, 'page_not_passed', `pages of ${host} are not shown here. Open /__mock/console`);
}

/** Replaces the escapes of JSON that printable characters do not need: a secret may be written with them. */
const unescaped = (text: string): string =>
  text.replace(/\\(?:u00(?!22|5c)([2-7][\da-f])|[^])/gi, (escape, code?: string) =>
    code === undefined ? escape : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Masks the values of headers, and all of the cookies. */
const masked = (headers: Readonly<Record<string, string>>, mask: Mask): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'set-cookie' ? '[secret]' : mask(value)]),
  );

const maskedBody = (text: string, mask: Mask): unknown => recordedBody(Buffer.from(mask(text)));

/** Returns what the contract says against a request. */
function requestIssues(
  options: Parameters<typeof validateQuery>[1],
  endpoint: EndpointDefinition<unknown> | undefined,
  message: MockHttpRequest,
  mask: Mask,
): readonly Issue[] {
  if (endpoint === undefined) return [];
  try {
    validateQuery(endpoint, options, new Set(), message.search);
    validateBody(endpoint, options, message);
    return [];
  } catch (error) {
    const { issues, message: problem } = error as HttpError;
    const found = issues.length > 0 ? issues : [{ path: '', message: problem }];
    return found.map((issue) => ({ path: mask(issue.path), message: mask(issue.message) }));
  }
}
