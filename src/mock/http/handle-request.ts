import { validateResponse } from '../../contract/validate.js';
import { type EndpointDefinition, endpoints, type EndpointName } from '../../contract/endpoints.js';
import type { HandlerContext } from '../handlers/handler.js';
import { deepFreeze } from '../frozen.js';
import { identify, verify } from './authenticate.js';
import { isDownload } from './downloads.js';
import { MockPlatformError } from '../error.js';
import type { MockHttpRequest, MockHttpResponse } from './message.js';
import { deliveryAfter, effectBefore } from '../faults/apply.js';
import type { DrawnFault } from '../faults/fault-plan.js';
import { HttpError, reject } from './http-error.js';
import { validateBody, validateQuery, recordedPrefix, recordedBody, recordedFilters } from './validate-request.js';
import { takeQuota } from './rate-limit.js';
import { clockOf, downloadResponse, jsonResponse, errorResponse, type RequestContext } from './response.js';
import { logRequest, type RecordedRequestDraft } from './request-log.js';
import { routeOf, type Route } from './router.js';
import { advanceOnRead, invokeHandler } from '../store/run-due.js';
import { needsRecord, corruptResult } from '../faults/corrupt-body.js';
import type { PlatformState } from '../store/state.js';
import type { OrganizationState } from '../store/organization.js';

/**
 * Handles a request. Throws `MockPlatformError` if the response would violate the contract, or a fault does not fit the
 * response.
 */
export async function handleRequest(platform: PlatformState, request: MockHttpRequest): Promise<MockHttpResponse> {
  const path = stripBasePath(platform.options.baseUrl, request.path);
  const route = path === undefined ? undefined : routeOf(request.method, path);
  const entry = startRecord(platform, request, path ?? request.path, route);
  const context: RequestContext = { platform, entry, fault: undefined, isDiscarded: false };
  const receivedAt = performance.now();
  let response: MockHttpResponse | null = null;
  try {
    return (response = await process(context, route, request, path));
  } finally {
    // A commit that comes later may still fail, which the entry then reports.
    deepFreeze(entry.fault === 'late-commit' ? Object.values(entry) : entry);
    if (!context.isDiscarded && platform.requests.lastIndexOf(entry) !== -1)
      platform.exchanges?.add(request, entry, response, performance.now() - receivedAt);
  }
}

async function process(
  context: RequestContext,
  route: Route | undefined,
  request: MockHttpRequest,
  path: string | undefined,
): Promise<MockHttpResponse> {
  const { platform, entry } = context;
  try {
    if (request.body.length > platform.options.maxRequestBytes) {
      reject('body_too_large', `the body is larger than ${platform.options.maxRequestBytes} bytes`);
    }
    entry.body = recordedPrefix(request.body);
    if (route === undefined && path !== undefined && request.method === 'GET' && isDownload(path))
      return downloadResponse(context, path, request.search);
    const organization = await authenticate(context, route?.endpoint, request);
    if (context.isDiscarded) return { status: 0, headers: {}, body: null, delivery: { kind: 'reset' } };
    if (route === undefined)
      return reject('unknown_endpoint', `${request.method} ${request.path} is not an endpoint of this API`);
    return respond(context, route.endpoint, buildContext(organization, route, request));
  } catch (error) {
    if (error instanceof HttpError) return errorResponse(context, error);
    entry.status = 500;
    entry.fault = undefined;
    // The client may retry without reporting the error, so the log keeps it.
    if (error instanceof MockPlatformError) entry.error = { status: 500, code: 'mock_failure', message: error.message };
    throw error;
  }
}

/** Removes the path of the base URL from a path; undefined if the path does not start with it. */
function stripBasePath(baseUrl: string, path: string): string | undefined {
  const prefix = basePath(baseUrl);
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

function basePath(baseUrl: string): string {
  const start = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2);
  return start === -1 ? '' : baseUrl.slice(start);
}

function startRecord(
  platform: PlatformState,
  { method, search }: MockHttpRequest,
  path: string,
  route: Route | undefined,
): RecordedRequestDraft {
  const query = new URLSearchParams(search);
  const entry: RecordedRequestDraft = {
    endpoint: route?.endpoint,
    organization: undefined,
    method,
    path,
    params: route?.params ?? {},
    query: Object.fromEntries(query),
    filters: query.size === 0 ? {} : recordedFilters(platform.options.dialect, query),
    body: undefined,
    claims: undefined,
    error: undefined,
    issues: [],
    fault: undefined,
    status: undefined,
    requestId: platform.requestId(),
    receivedAt: platform.clock.now(),
  };
  logRequest(platform.requests, entry, platform.options.logSize);
  return entry;
}

/**
 * Authenticates a request. A clock-skew fault takes effect here. A request whose organization was reset or restored
 * meanwhile is discarded: it belongs to the earlier state.
 */
async function authenticate(
  context: RequestContext,
  endpoint: EndpointName | undefined,
  request: MockHttpRequest,
): Promise<OrganizationState> {
  const { platform, entry } = context;
  const organization = identify(platform, request);
  const { generation } = organization;
  entry.organization = organization.id;
  entry.body = recordedBody(request.body);
  logRequest(organization.requests, entry, platform.options.logSize);
  if (endpoint !== undefined && organization.faults.hasKind(endpoint, 'clock-skew')) {
    const drawn = organization.faults.draw(endpoint, entry);
    if (drawn.fault?.kind === 'clock-skew') {
      drawn.use();
      activateFault(context, drawn);
    }
  }
  entry.claims = await verify(organization, request, clockOf(context));
  if (organization.generation !== generation) {
    context.isDiscarded = true;
    return organization;
  }
  if (platform.options.rateLimit !== undefined) takeQuota(organization, platform.options.rateLimit);
  organization.runDueEvents();
  return organization;
}

function activateFault(context: RequestContext, { fault }: Pick<DrawnFault, 'fault'>): void {
  context.fault = fault;
  context.entry.fault = fault?.kind;
}

function buildContext(
  organization: OrganizationState,
  route: Route,
  request: MockHttpRequest,
): HandlerContext<EndpointName> {
  const { options } = organization.platform;
  const endpoint: EndpointDefinition<unknown> = endpoints[route.endpoint];
  const context = {
    organization,
    params: route.params,
    query: validateQuery(endpoint, options, request.search),
    body: validateBody(endpoint, options, request),
    base: `${request.origin}${basePath(options.baseUrl)}`,
  };
  // The fields were validated by the contract of this endpoint, which the type system cannot relate to its name.
  return context as unknown as HandlerContext<EndpointName>;
}

/**
 * Responds, with the planned fault if there is one. A fault that does not fit stays planned, so that a retry does not
 * get past it.
 */
function respond(
  context: RequestContext,
  endpoint: EndpointName,
  handlerContext: HandlerContext<EndpointName>,
): MockHttpResponse {
  if (context.fault !== undefined) return respondWithFault(context, endpoint, handlerContext);
  const drawn = handlerContext.organization.faults.draw(endpoint, context.entry);
  // A concurrent request used the earlier fault; this one is already authenticated, so the clock skew stays for the
  // next.
  if (drawn.fault?.kind === 'clock-skew') return respondWithFault(context, endpoint, handlerContext);
  activateFault(context, drawn);
  const response = respondWithFault(context, endpoint, handlerContext);
  if (context.fault === drawn.fault) drawn.use();
  return response;
}

/** Runs the handler, with the effects of the fault before, instead of and after it. */
function respondWithFault(
  context: RequestContext,
  endpoint: EndpointName,
  handlerContext: HandlerContext<EndpointName>,
): MockHttpResponse {
  const { organization } = handlerContext;
  const { platform, fault } = context;
  const before = fault === undefined ? undefined : effectBefore(fault);
  if (fault?.kind === 'late-commit') {
    const { params, query, body, base } = handlerContext;
    const { requestId } = context.entry;
    const at = platform.clock.now() + fault.after;
    organization.schedule.addCall({ at, endpoint, params, query, body, base, requestId });
  }
  if (before instanceof HttpError) return errorResponse(context, before);
  if (before !== undefined) return { status: 0, headers: {}, body: null, delivery: before };
  const rollBack =
    fault !== undefined && (fault.kind === 'acked-but-lost' || needsRecord(fault))
      ? organization.savepoint()
      : undefined;
  try {
    const response = runHandler(context, endpoint, handlerContext);
    if (fault?.kind === 'acked-but-lost') rollBack?.();
    const delivery = fault === undefined ? undefined : deliveryAfter(fault, response);
    return delivery === undefined ? response : { ...response, delivery };
  } catch (error) {
    rollBack?.();
    throw error;
  }
}

function runHandler(
  context: RequestContext,
  endpoint: EndpointName,
  handlerContext: HandlerContext<EndpointName>,
): MockHttpResponse {
  try {
    const result = invokeHandler(endpoint, handlerContext);
    assertContract(endpoint, result);
    advanceOnRead(handlerContext.organization, endpoint, result);
    const { fault, platform } = context;
    return jsonResponse(
      context,
      platform.options.successStatuses[endpoint],
      fault === undefined ? result : corruptResult(fault, result),
    );
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    // An error response has no record to corrupt, so the fault stays planned.
    if (context.fault !== undefined && needsRecord(context.fault)) activateFault(context, { fault: undefined });
    return errorResponse(context, error);
  }
}

function assertContract(name: EndpointName, result: unknown): void {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  if (endpoint.result === undefined) return;
  const violations = validateResponse(endpoint.result(), result);
  if (violations.length === 0) return;
  const list = violations.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new MockPlatformError(`the response of ${name} violates the contract: ${list}. Fix the records in it.`);
}
