import { endpoints, type EndpointDefinition, type EndpointName } from '../../contract/endpoints.js';
import type { Issue } from '../../contract/issue.js';
import { validateResponse } from '../../contract/violations.js';
import { MockPlatformError } from '../base/mock-error.js';
import { statusOf } from '../base/error-statuses.js';
import { deepFreeze } from '../base/freeze.js';
import type { ResolvedBehavior, ResolvedOptions } from '../base/mock-options.js';
import type { MockFile } from '../data/files.js';
import type { DrawnFault } from '../faults/fault-plan.js';
import { definitionOf, deliveryAfter, responseAfter, type MockFault } from '../faults/fault.js';
import type { MockPlatformResponse } from '../faults/response.js';
import { findDownload, isDownload } from '../records/downloads.js';
import type { OrganizationState, PlatformState } from '../state/platform.js';
import { HttpError, reject } from '../wire/http-error.js';
import type { MockHttpRequest, MockHttpResponse, MockNoResponse } from '../wire/message.js';
import { logRequest, recordedHeaders, type RecordedRequestDraft } from '../wire/request-log.js';
import { acceptToken, identify, verifySignature } from './authenticate.js';
import type { HandlerContext } from './handlers/handler.js';
import { routeOf, type Route } from './route.js';
import { runHandler } from './run.js';
import { recordedBody, recordedFilters, recordedPrefix, validateBody, validateQuery } from './validate.js';

/**
 * Handles a request. A mistake of the test, such as a fault that does not fit the response, gets a 501 with its reason:
 * clients do not retry that.
 */
export async function handleRequest(
  platform: PlatformState,
  request: MockHttpRequest,
): Promise<MockHttpResponse | MockNoResponse> {
  let { clock, options } = platform;
  const start = performance.now();

  // Route.
  const path = pathBelow(platform.options.baseUrl, request.path);
  const route = path === undefined ? undefined : routeOf(request.method, path);
  const entry = startEntry(platform, request, path ?? request.path, route);

  /** The fault in effect. */
  let fault: MockFault | undefined;
  const now = (): number => clock.now() + (fault?.kind === 'clock-skew' ? fault.seconds * 1000 : 0);
  let sent: MockHttpResponse | MockNoResponse | null = null;
  try {
    if (request.body.length > options.maxRequestBytes)
      reject('body_too_large', `the body is larger than ${options.maxRequestBytes} bytes`);
    entry.body = recordedPrefix(request.body);
    if (route === undefined && path !== undefined && request.method === 'GET' && isDownload(path)) {
      const { organization, file } = findDownload(platform, path, new URLSearchParams(request.search));
      ({ clock, options } = organization);
      entry.organization = organization.id;
      return (sent = await respond(organization.faults.draw(entry, true), () => planned(fileResponse(file))));
    }

    const owner = route === undefined && platform.organizations.find(({ faults }) => faults.isPublic(entry));
    if (owner) {
      ({ clock, options } = owner);
      entry.organization = owner.id;
      entry.body = recordedBody(request.body);
      entry.params = owner.faults.paramsOf(entry);
      logRequest(owner.requests, entry, options.logSize);
      return (sent = await respond(owner.faults.draw(entry, false), () => unknownEndpoint(request, options)));
    }

    // Authenticate. Only the signature and a planned function take time: nothing else happens between the later steps.
    const organization = identify(platform, request);
    ({ clock, options } = organization);
    entry.organization = organization.id;
    entry.receivedAt = clock.now();
    entry.body = recordedBody(request.body);
    if (route === undefined) entry.params = organization.faults.paramsOf(entry);
    logRequest(organization.requests, entry, options.logSize);
    const { generation } = organization;
    const token = await verifySignature(organization, request);
    const drawn = organization.faults.draw({ ...entry, claims: token.claims }, route !== undefined);
    // A request whose organization was reset or restored meanwhile belongs to the earlier state.
    if (organization.generation !== generation) return (sent = { delivery: { kind: 'reset' } });
    if (drawn.fault?.kind === 'clock-skew') {
      fault = drawn.fault;
      entry.fault = fault.kind;
      drawn.use();
    }
    entry.claims = acceptToken(organization, token, request.target, now());

    // Limit.
    if (options.rateLimit !== undefined) takeQuota(organization, options.rateLimit);
    organization.runDueEvents();

    // Validate.
    if (route === undefined) return (sent = await respond(drawn, () => unknownEndpoint(request, options)));
    const { endpoint } = route;
    const call = validatedCall(organization, route, request);
    return (sent = await respond(
      drawn,
      () => runHandler(endpoint, call, fault, entry),
      (at) => {
        const { params, query, body, base } = call;
        organization.schedule.addCall({ at, endpoint, params, query, body, base, requestId: entry.requestId });
      },
    ));
  } catch (error) {
    if (error instanceof HttpError) return (sent = await rejection(error));
    entry.fault = fault = undefined;
    if (error instanceof MockPlatformError)
      return (sent = await rejection(new HttpError(501, 'mock_failure', error.message)));
    entry.status = 500;
    throw error;
  } finally {
    // A commit that comes later may still fail, which the entry then reports.
    deepFreeze(entry.fault === 'late-commit' ? Object.values(entry) : entry);
    platform.handling.delete(entry);
    for (const listener of platform.requestListeners) listener(entry);
    // The log does not have the entry if it was cleared meanwhile.
    if (platform.requests.lastIndexOf(entry) !== -1) platform.exchanges?.add(entry, sent, performance.now() - start);
  }
  /**
   * Applies the fault of a valid request and runs its handler, which returns an error for a request that it rejects.
   */
  async function respond(
    drawn: DrawnFault,
    handler: () => MockPlatformResponse | HttpError | Promise<MockPlatformResponse>,
    runLater: (at: number) => void = () => {},
  ): Promise<MockHttpResponse | MockNoResponse> {
    // Fault. One that does not fit the response stays planned, so that a retry does not get past it.
    fault = drawn.fault;
    entry.fault = fault?.kind;
    const definition = fault && definitionOf(fault);
    const effect = fault && definition?.before?.(fault);
    if (effect !== undefined) {
      drawn.use();
      if (fault?.kind === 'late-commit') runLater(clock.now() + fault.after);
      if (effect instanceof HttpError) throw effect;
      return 'delivery' in effect ? effect : deliver(await planned(effect));
    }

    // Handle.
    const outcome = handler();
    if (outcome instanceof HttpError && fault && definition?.needsSuccess?.(fault)) entry.fault = fault = undefined;
    else if (fault?.kind !== 'clock-skew') drawn.use();
    if (outcome instanceof HttpError) throw outcome;
    return deliver(await outcome);
  }

  /** Returns a response with what the fault changes in it. */
  function planned(response: MockPlatformResponse): MockPlatformResponse | Promise<MockPlatformResponse> {
    return fault === undefined ? response : responseAfter(fault, entry, response);
  }

  /** Creates the response for a request that is rejected, and records the error. */
  async function rejection(error: HttpError): Promise<MockHttpResponse> {
    const response = await planned(errorResponse(options, error));
    const { code, message, issues } = error;
    // A planned response may turn it into a success.
    if (response.status >= 300) entry.error = { status: response.status, code, message };
    entry.issues = issues;
    return deliver(response);
  }

  /** Completes a response with the headers of all responses, and with what the fault does to its delivery. */
  function deliver(response: MockPlatformResponse): MockHttpResponse {
    const { status } = response;
    // Created only if it is needed: an error captures the stack.
    const error =
      fault?.kind === 'response' && status >= 300
        ? new HttpError(status, 'injected_fault', `a planned response has the status ${status}`)
        : undefined;
    const base = error !== undefined && response.body === undefined ? errorResponse(options, error) : response;
    const { headers, body } = serialized({ ...base, status, headers: { ...base.headers, ...response.headers } });
    entry.status = status;
    if (error !== undefined) entry.error ??= { status, code: error.code, message: error.message };
    else if (fault?.kind === 'response') entry.responseIssues = responseIssuesOf(entry.endpoint, response.body);
    const [requestIdHeader = 'x-request-id'] = options.dialect.requestIdHeaders; // Assumed: A-13
    const { delay } = response;
    const byFault = fault === undefined ? undefined : deliveryAfter(fault, body !== null && body.length > 1);
    const delivery = delay === undefined ? byFault : ({ kind: 'slow', delay } as const);
    return {
      status,
      headers: { date: new Date(now()).toUTCString(), [requestIdHeader]: entry.requestId, ...headers },
      body,
      ...(delivery !== undefined && { delivery }),
    };
  }
}

/** Removes the path of the base URL from a path; undefined if the path does not start with it. */
function pathBelow(baseUrl: string, path: string): string | undefined {
  const prefix = basePath(baseUrl);
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

function basePath(baseUrl: string): string {
  const start = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2);
  return start === -1 ? '' : baseUrl.slice(start);
}

/** Adds a request to the log. The handling fills in the rest of the entry. */
function startEntry(
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
    error: undefined,
    issues: [],
    responseIssues: [],
    fault: undefined,
    status: undefined,
    requestId: platform.requestId(),
    receivedAt: platform.clock.now(),
  };
  platform.handling.add(entry);
  logRequest(platform.requests, entry, platform.options.logSize);
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
      seconds,
    );
  }
  organization.quota = { since, count: count + 1 };
}

function unknownEndpoint({ method, path }: MockHttpRequest, { baseUrl }: ResolvedOptions): HttpError {
  const reason =
    pathBelow(baseUrl, path) === undefined
      ? `: paths start with ${basePath(baseUrl)}, that of the base URL ${baseUrl}`
      : '';
  return new HttpError(404, 'unknown_endpoint', `${method} ${path} is not an endpoint of this API${reason}`);
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
  const content = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': type, ...headers }, body: content as MockHttpResponse['body'] };
}

/** Returns the violations of the contract in a successful response. */
function responseIssuesOf(name: EndpointName | undefined, body: unknown): readonly Issue[] {
  const endpoint: EndpointDefinition<unknown> | undefined = name && endpoints[name];
  if (endpoint?.result === undefined) return [];
  return validateResponse(endpoint.result(), body).map(({ path, message }) => ({ path, message }));
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
function errorResponse({ errorBody, errorStatuses }: ResolvedOptions, error: HttpError): MockPlatformResponse {
  const { code, message, issues, retryAfter } = error;
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
  const delay = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { status, headers: { 'content-type': type, ...delay }, body: bodies[errorBody] };
}

/** Creates the response of a signed URL. */
function fileResponse({ fileName, contentType, content }: MockFile): MockPlatformResponse {
  const disposition = `attachment; filename="${fileName.replace(/[^\x20-\x7e]|["\\]/g, '_')}"`;
  return { status: 200, headers: { 'content-type': contentType, 'content-disposition': disposition }, body: content };
}
