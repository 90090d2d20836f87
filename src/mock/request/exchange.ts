import { endpoints, type EndpointDefinition, type EndpointName } from '../../contract/endpoints.js';
import { isBytes } from '../../contract/objects.js';
import { MockPlatformError } from '../base/mock-error.js';
import { statusOf } from '../base/error-statuses.js';
import { deepFreeze } from '../base/freeze.js';
import type { ResolvedBehavior, ResolvedOptions } from '../base/mock-options.js';
import { withoutAdded } from '../base/unknown-values.js';
import type { MockFile } from '../data/files.js';
import type { DrawnFault } from '../faults/fault-plan.js';
import { definitionOf, deliveryAfter, responseAfter, type MockFault } from '../faults/fault.js';
import type { MockPlatformResponse } from '../faults/response.js';
import { findDownload, isDownload } from '../records/downloads.js';
import type { MockClock } from '../state/clock.js';
import type { OrganizationState, PlatformState } from '../state/platform-state.js';
import { HttpError, reject } from '../wire/http-error.js';
import type { MockHttpRequest, MockHttpResponse, MockNoResponse } from '../wire/message.js';
import { logRequest, recordedHeaders, type LoggedResponse, type RecordedRequestDraft } from '../wire/request-log.js';
import { acceptToken, identify, rejectedClaims, verifySignature } from './authenticate.js';
import type { HandlerContext } from './handlers/handler.js';
import { handlers } from './handlers/index.js';
import { methodsOf, routeOf, type Route } from '../wire/route.js';
import { runEvent } from './scheduled-events.js';
import {
  recordedBody,
  recordedFilters,
  recordedPrefix,
  validateBody,
  validateQuery,
  violationsOf,
} from './validate.js';

/**
 * Handles a request. A mistake of the test, such as a fault that does not fit the response, gets a 501 with its reason:
 * clients do not retry that.
 */
export function handleRequest(
  platform: PlatformState,
  request: MockHttpRequest,
): Promise<MockHttpResponse | MockNoResponse> {
  return new Exchange(platform, request).handle();
}

/** Handles one request. */
class Exchange {
  readonly #platform: PlatformState;
  readonly #request: MockHttpRequest;
  /** The path below the base URL; undefined if the request has another path. */
  readonly #path: string | undefined;
  readonly #route: Route | undefined;
  /** What the log says of the request. */
  readonly #entry: RecordedRequestDraft;
  readonly #start = performance.now();
  /** The clock and the options of the platform, and of its organization once that is known. */
  #clock: MockClock;
  #options: ResolvedOptions;
  /** The fault in effect. */
  #fault: MockFault | undefined;

  constructor(platform: PlatformState, request: MockHttpRequest) {
    this.#platform = platform;
    this.#request = request;
    this.#clock = platform.clock;
    this.#options = platform.options;
    this.#path = pathBelow(platform.options.baseUrl, request.path);
    this.#route = this.#path === undefined ? undefined : routeOf(request.method, this.#path);
    this.#entry = startEntry(platform, request, this.#path ?? request.path, this.#route);
  }

  async handle(): Promise<MockHttpResponse | MockNoResponse> {
    let response: MockHttpResponse | MockNoResponse | null = null;
    try {
      return (response = await this.#process());
    } catch (error) {
      return (response = await this.#reject(error));
    } finally {
      endEntry(this.#platform, this.#entry, response, this.#start);
    }
  }

  async #process(): Promise<MockHttpResponse | MockNoResponse> {
    const route = this.#route;
    const { maxRequestBytes } = this.#options;
    if (this.#request.body.length > maxRequestBytes)
      reject('body_too_large', `the body is larger than ${maxRequestBytes} bytes`);
    this.#entry.body = recordedPrefix(this.#request.body);

    // What needs no authentication: signed URLs, and planned responses that are public.
    if (this.#path !== undefined && this.#request.method === 'GET' && isDownload(this.#path)) {
      this.#platform.runDueEvents(runEvent);
      const { organization, file } = findDownload(
        this.#platform,
        this.#path,
        new URLSearchParams(this.#request.search),
      );
      this.#assign(organization);
      return this.#respond(organization.faults.draw(this.#entry, true), () => this.#planned(fileResponse(file)));
    }
    const owner =
      route === undefined && this.#platform.organizations.find(({ faults }) => faults.isPublic(this.#entry));
    if (owner) {
      this.#log(owner);
      return this.#respond(owner.faults.draw(this.#entry, false), () => this.#unknownEndpoint());
    }

    // Authenticate. Only the signature and a planned function take time: nothing else happens between the later steps.
    const organization = identify(this.#platform, this.#request);
    this.#log(organization);
    const { generation } = organization;
    const token = await verifySignature(organization, this.#request);
    this.#entry.keyId = token.keyId;
    const drawn = organization.faults.draw({ ...this.#entry, claims: token.claims }, route !== undefined);
    // A request whose organization was reset or restored meanwhile belongs to the earlier state.
    if (organization.generation !== generation) return { delivery: { kind: 'reset' } };
    if (drawn.fault?.kind === 'clock-skew') {
      this.#use(drawn.fault);
      drawn.use();
    }
    this.#entry.claims = acceptToken(organization, token, this.#request.target, this.#now());

    // Limit.
    if (this.#options.rateLimit !== undefined) takeQuota(organization, this.#options.rateLimit);
    organization.runDueEvents(runEvent);

    // Validate.
    if (route === undefined) return this.#respond(drawn, () => this.#unknownEndpoint());
    const { endpoint } = route;
    const call = validatedCall(organization, route, this.#request);
    return this.#respond(
      drawn,
      () => this.#runHandler(endpoint, call),
      (at) => {
        const { params, query, body, base } = call;
        organization.schedule.addCall({ at, endpoint, params, query, body, base, requestId: this.#entry.requestId });
      },
    );
  }

  /** Gives the request the clock and the options of an organization. */
  #assign({ id, clock, options }: OrganizationState): void {
    this.#clock = clock;
    this.#options = options;
    this.#entry.organization = id;
  }

  /** Adds the request to the log of its organization. */
  #log(organization: OrganizationState): void {
    this.#assign(organization);
    const entry = this.#entry;
    entry.receivedAt = this.#clock.now();
    entry.body = recordedBody(this.#request.body);
    if (this.#route === undefined) entry.params = organization.faults.paramsOf(entry);
    logRequest(organization.requests, entry, this.#options.logSize);
  }

  /** Puts a fault into effect; undefined ends it. */
  #use(fault: MockFault | undefined): void {
    this.#fault = fault;
    this.#entry.fault = fault?.kind;
  }

  /** The time on the platform's clock, in milliseconds since the epoch. */
  #now(): number {
    const skew = this.#fault?.kind === 'clock-skew' ? this.#fault.seconds * 1000 : 0;
    return this.#clock.now() + skew;
  }

  /**
   * Applies the fault of a valid request and runs its handler, which returns an error for a request that it rejects.
   */
  async #respond(
    { fault, use }: DrawnFault,
    handler: () => MockPlatformResponse | HttpError | Promise<MockPlatformResponse>,
    runLater: (at: number) => void = () => {},
  ): Promise<MockHttpResponse | MockNoResponse> {
    // Fault. One that does not fit the response stays planned, so that a retry does not get past it.
    this.#use(fault);
    const definition = fault && definitionOf(fault);
    const effect = fault && definition?.before?.(fault);
    if (effect !== undefined) {
      use();
      if (fault?.kind === 'late-commit') runLater(this.#clock.now() + fault.after);
      if (effect instanceof HttpError) throw effect;
      return 'delivery' in effect ? effect : this.#complete(await this.#planned(effect));
    }

    // Handle.
    const outcome = handler();
    if (outcome instanceof HttpError && fault && definition?.needsSuccess?.(fault)) this.#use(undefined);
    else if (fault?.kind !== 'clock-skew') use();
    if (outcome instanceof HttpError) throw outcome;
    return this.#complete(await outcome);
  }

  /**
   * Runs the handler of an endpoint, and returns its response with what the fault changes in it, or the error with which
   * it rejects the request. Throws `MockPlatformError` if the response would violate the contract or lacks what the
   * fault changes; the records are then as before, unless that is a promise.
   */
  #runHandler(
    endpoint: EndpointName,
    call: HandlerContext<EndpointName>,
  ): MockPlatformResponse | HttpError | Promise<MockPlatformResponse> {
    const fault = this.#fault;
    const { organization } = call;
    const rollBack = fault && definitionOf(fault).needsSuccess?.(fault) ? organization.savepoint() : undefined;
    try {
      const body = handlers[endpoint](call);
      assertContract(organization, endpoint, body);
      const response = this.#planned({ status: organization.options.successStatuses[endpoint], headers: {}, body });
      if (fault?.kind === 'acked-but-lost') rollBack?.();
      return response;
    } catch (error) {
      rollBack?.();
      if (error instanceof HttpError) return error;
      throw error;
    }
  }

  /** Returns a response with what the fault changes in it. */
  #planned(response: MockPlatformResponse): MockPlatformResponse | Promise<MockPlatformResponse> {
    return this.#fault === undefined ? response : responseAfter(this.#fault, this.#entry, response);
  }

  #unknownEndpoint(): HttpError {
    const { method, path } = this.#request;
    const { baseUrl } = this.#options;
    const allowed = this.#path === undefined ? [] : methodsOf(this.#path);
    if (allowed.length > 0)
      return new HttpError(405, 'method_not_allowed', `${path} accepts ${allowed.join(' and ')}, not ${method}`, [], {
        allow: allowed.join(', '),
      });
    const message = `${method} ${path} is not an endpoint of this API, whose base URL is ${baseUrl}`;
    return new HttpError(404, 'unknown_endpoint', message);
  }

  /** Creates the response for a request that failed, and records the error. Throws one of the mock itself. */
  async #reject(thrown: unknown): Promise<MockHttpResponse> {
    if (!(thrown instanceof HttpError)) this.#use(undefined);
    const error = thrown instanceof MockPlatformError ? new HttpError(501, 'mock_failure', thrown.message) : thrown;
    if (!(error instanceof HttpError)) {
      this.#entry.status = 500;
      throw error;
    }
    const response = await this.#planned(errorResponse(this.#options, error));
    const { code, message, issues } = error;
    // A planned response may turn it into a success.
    if (response.status >= 300) this.#entry.error = { status: response.status, code, message };
    this.#entry.issues = issues;
    if (this.#entry.organization !== undefined) this.#entry.claims ??= rejectedClaims(this.#request);
    return this.#complete(response);
  }

  #complete(response: MockPlatformResponse): MockHttpResponse {
    return completeResponse(this.#entry, this.#options, this.#fault, this.#now(), response);
  }
}

/**
 * Completes a response with the headers of all responses, and with what the fault does to its delivery. `now` is the
 * time of its `Date`.
 */
export function completeResponse(
  entry: RecordedRequestDraft,
  options: ResolvedOptions,
  fault: MockFault | undefined,
  now: number,
  response: MockPlatformResponse,
): MockHttpResponse {
  const { status, delay } = response;
  // Created only if it is needed: an error captures the stack.
  const error =
    fault?.kind === 'response' && status >= 300
      ? new HttpError(status, 'injected_fault', `a planned response has the status ${status}`)
      : undefined;
  const base = error !== undefined && response.body === undefined ? errorResponse(options, error) : response;
  const { headers, body } = serialized({ ...base, status, headers: { ...base.headers, ...response.headers } });
  entry.status = status;
  if (error !== undefined) entry.error ??= { status, code: error.code, message: error.message };
  else if (fault?.kind === 'response')
    entry.responseIssues = violationsOf(entry.endpoint, response.body).map(({ path, message }) => ({ path, message }));
  const [requestIdHeader = 'x-request-id'] = options.dialect.requestIdHeaders; // Assumed: A-13
  const byFault = fault === undefined ? undefined : deliveryAfter(fault, body !== null && body.length > 1);
  const delivery = delay === undefined ? byFault : ({ kind: 'slow', delay } as const);
  return {
    status,
    headers: { date: new Date(now).toUTCString(), [requestIdHeader]: entry.requestId, ...headers },
    body,
    ...(delivery !== undefined && { delivery }),
  };
}

/** Completes the entry of the log, and adds its response. `start` is the time of the request. */
export function endEntry(
  { exchanges }: PlatformState,
  entry: RecordedRequestDraft,
  response: LoggedResponse | MockNoResponse | null,
  start: number,
): void {
  // A commit that comes later may still fail, which the entry then reports.
  deepFreeze(entry.fault === 'late-commit' ? Object.values(entry) : entry);
  exchanges.add(entry, response, performance.now() - start);
}

/** Removes the path of the base URL from a path; undefined if the path does not start with it. */
export function pathBelow(baseUrl: string, path: string): string | undefined {
  const prefix = basePath(baseUrl);
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

function basePath(baseUrl: string): string {
  const start = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2);
  return start === -1 ? '' : baseUrl.slice(start);
}

/** Adds a request to the log. The handling fills in the rest of the entry. */
export function startEntry(
  platform: PlatformState,
  request: MockHttpRequest,
  path: string,
  route: Route | undefined,
): RecordedRequestDraft {
  const { method, search } = request;
  const query = new URLSearchParams(search);
  const entry: RecordedRequestDraft = {
    endpoint: route?.endpoint,
    organization: undefined,
    method,
    path,
    params: route?.params ?? {},
    query: Object.fromEntries(query),
    filters: query.size === 0 ? {} : recordedFilters(platform.options.dialect, query),
    headers: recordedHeaders(request),
    body: undefined,
    claims: undefined,
    keyId: undefined,
    error: undefined,
    issues: [],
    responseIssues: [],
    fault: undefined,
    status: undefined,
    requestId: platform.requestId(),
    receivedAt: platform.clock.now(),
  };
  platform.exchanges.dropped += logRequest(platform.requests, entry, platform.options.logSize);
  return entry;
}

function validatedCall(
  organization: OrganizationState,
  { endpoint: name, params }: Route,
  request: MockHttpRequest,
): HandlerContext<Route['endpoint']> {
  const { options } = organization;
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  const call = {
    organization,
    params,
    query: validateQuery(endpoint, options, organization.addedValues, request.search),
    body: validateBody(endpoint, options, request),
    base: `${request.origin}${basePath(options.baseUrl)}`,
  };
  // The fields were validated by the contract of this endpoint, which the type system cannot relate to its name.
  return call as unknown as HandlerContext<Route['endpoint']>;
}

/**
 * Counts a request against its organization's rate limit. Throws an `HttpError` with the delay until the next window if
 * the limit is reached.
 */
function takeQuota(organization: OrganizationState, rateLimit: NonNullable<ResolvedOptions['rateLimit']>): void {
  const now = organization.clock.now();
  const { quota } = organization;
  const isExpired = quota === undefined || now >= quota.since + rateLimit.span || now < quota.since;
  const { since, count } = isExpired ? { since: now, count: 0 } : quota;
  if (count >= rateLimit.requests) {
    const seconds = Math.ceil((since + rateLimit.span - now) / 1000);
    throw new HttpError(
      429,
      'rate_limited',
      `the rate limit of ${rateLimit.requests} requests ` +
        `in ${rateLimit.span / 1000} s is exceeded; retry after ${seconds} s`,
      [],
      { 'retry-after': String(seconds) },
    );
  }
  organization.quota = { since, count: count + 1 };
}

function assertContract({ addedValues }: OrganizationState, name: EndpointName, result: unknown): void {
  const all = violationsOf(name, result);
  if (all.length === 0) return;
  const violations = withoutAdded(addedValues, result, all);
  if (violations.length === 0) return;
  const list = violations.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new MockPlatformError(`the response of ${name} violates the contract: ${list}. Fix the records in it.`);
}

/** The statuses whose responses have no body. */
const bodiless: readonly number[] = [204, 205, 304];

/** Serializes the body of a response. */
function serialized({ status, headers, body }: MockPlatformResponse): MockHttpResponse {
  if (body === undefined || body === '' || bodiless.includes(status)) {
    const { 'content-type': _, ...others } = headers;
    return { status, headers: others, body: null };
  }
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const content = typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': type, ...headers }, body: content as MockHttpResponse['body'] };
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Creates an error response in one of the common shapes. Assumed: A-6. */
export function errorResponse({ errorBody, errorStatuses }: ResolvedOptions, error: HttpError): MockPlatformResponse {
  const { code, message, issues, headers } = error;
  const status = statusOf(error, errorStatuses);
  const title = titles[status] ?? `Status ${status}`;
  const details = issues.length === 0 ? {} : { issues };
  const bodies: { readonly [Shape in ResolvedBehavior['errorBody']]: object } = {
    plain: { code, message, ...details },
    nested: { error: { code, message, ...details } },
    'status-code': { statusCode: status, message, error: title, ...details },
    'problem+json': { type: 'about:blank', title, status, detail: message, code, ...details },
  };
  const type = errorBody === 'problem+json' ? 'application/problem+json' : 'application/json';
  return { status, headers: { 'content-type': type, ...headers }, body: bodies[errorBody] };
}

/** Creates the response of a signed URL. */
function fileResponse({ fileName, contentType, content }: MockFile): MockPlatformResponse {
  const disposition = `attachment; filename="${fileName.replace(/[^\x20-\x7e]|["\\]/g, '_')}"`;
  return { status: 200, headers: { 'content-type': contentType, 'content-disposition': disposition }, body: content };
}
