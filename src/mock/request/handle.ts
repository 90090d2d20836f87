import { validateResponse } from '../../contract/validate.js';
import { type EndpointDefinition, endpoints, type EndpointName } from '../../contract/endpoints.js';
import type { HandlerContext } from './handlers/handler.js';
import { deepFreeze } from '../base/freeze.js';
import { identify, verify } from './authenticate.js';
import { isDownload } from '../records/downloads.js';
import { MockPlatformError } from '../base/error.js';
import type { MockHttpRequest, MockHttpResponse } from '../wire/message.js';
import { deliveryAfter, effectBefore, needsRecord, corruptResult } from '../faults/apply.js';
import type { DrawnFault } from '../faults/fault-plan.js';
import { HttpError, reject } from '../wire/http-error.js';
import { validateBody, validateQuery, recordedPrefix, recordedBody, recordedFilters } from './validate.js';
import { clockOf, downloadResponse, jsonResponse, errorResponse, type RequestContext } from './response.js';
import { logRequest, type RecordedRequestDraft } from '../wire/request-log.js';
import { routeOf, type Route } from './route.js';
import type { PlatformState, OrganizationState } from '../state/platform.js';
import type { ResolvedOptions } from '../base/options.js';
import type { BeneficiaryStatus } from '../../contract/schema/beneficiaries.js';
import type { CustomerStatus } from '../../contract/schema/customers.js';
import type { PaymentStatus } from '../../contract/schema/payments.js';
import { atTime } from '../state/clock.js';
import type { ScheduledCall, TransitionableKind, TransitionPlan } from '../state/schedule.js';
import { handlers } from './handlers/index.js';
import { statusOf } from '../base/error-statuses.js';
import { waitsForReview, transitionPayment } from '../records/payments.js';
import { transitionBeneficiary } from '../records/beneficiaries.js';
import { transitionCustomer } from '../records/customers.js';

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

/**
 * Counts a request against its organization's rate limit. Throws an `HttpError` with the delay until the next window if
 * the limit is reached.
 */
function takeQuota(organization: OrganizationState, rateLimit: NonNullable<ResolvedOptions['rateLimit']>): void {
  const now = organization.platform.clock.now();
  const { quota } = organization;
  const isExpired = quota === undefined || now >= quota.since + rateLimit.span || now < quota.since;
  const { since, count } = isExpired ? { since: now, count: 0 } : quota;
  if (count >= rateLimit.requests) {
    const seconds = Math.ceil((since + rateLimit.span - now) / 1000);
    throw new HttpError(
      429,
      'rate_limited',
      `the rate limit of ${rateLimit.requests} requests in ${rateLimit.span / 1000} s is exceeded; retry after ${seconds} s`,
      [],
      seconds,
    );
  }
  organization.quota = { since, count: count + 1 };
}

/** Runs all scheduled events that are due, in order, each at its own time. */
export function runDueEvents(organization: OrganizationState): void {
  const { schedule, platform } = organization;
  const now = platform.clock.now();
  for (let due = schedule.takeDue(now); due !== undefined; due = schedule.takeDue(now)) {
    const { at } = due;
    if ('call' in due) {
      const { call } = due;
      atTime(platform.clock, at, () => runScheduledCall(organization, call));
    } else {
      const { plan } = due;
      atTime(platform.clock, at, () => applyNextStep(organization, plan, now));
    }
  }
}

/**
 * Calls the handler of an endpoint and returns the body of its response. Throws an `HttpError` if the handler rejects
 * the request.
 */
function invokeHandler(endpoint: EndpointName, call: HandlerContext<EndpointName>): unknown {
  const handler = handlers[endpoint] as (call: HandlerContext<EndpointName>) => unknown;
  return handler(call);
}

function runScheduledCall(
  organization: OrganizationState,
  { endpoint, params, query, body, base, requestId }: ScheduledCall,
): void {
  const entry = organization.requests.find((request) => request.requestId === requestId);
  try {
    // The request was validated by the contract of this endpoint when it was received.
    invokeHandler(endpoint, { organization, params, query, body, base } as unknown as HandlerContext<EndpointName>);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (entry === undefined) return;
    // There is no client left to report the error to, so the log keeps it.
    const { code, message } = error;
    const status = statusOf(error, organization.platform.options.errorStatuses);
    Object.assign(entry, { error: { status, code, message } });
    organization.platform.exchanges?.repeat(entry);
  } finally {
    deepFreeze(entry);
  }
}

/** The kind of the records in a response, if they can have scheduled transitions. */
const kindsInResponses: { readonly [Name in EndpointName]?: TransitionableKind } = {
  'payments.list': 'payments',
  'customers.list': 'customers',
  'customers.get': 'customers',
  'customers.beneficiaries': 'beneficiaries',
};

/**
 * Counts the records in a response as read and applies the transitions that become due. The response shows the records
 * before.
 */
function advanceOnRead(organization: OrganizationState, endpoint: EndpointName, result: unknown): void {
  const kind = kindsInResponses[endpoint];
  if (kind === undefined) return;
  const page = result as { readonly id?: string; readonly items?: readonly { readonly id: string }[] };
  const ids = (page.items ?? [page]).flatMap(({ id }) => id ?? []);
  const plans = organization.schedule.read(kind, ids);
  for (const plan of plans) applyNextStep(organization, plan);
  if (plans.length > 0) organization.platform.exchanges?.reportChange();
}

const transitionFns: {
  readonly [Kind in TransitionableKind]: (organization: OrganizationState, id: string, status: never) => unknown;
} = {
  payments: (organization, id, status: PaymentStatus) => transitionPayment(organization, id, status),
  customers: (organization, id, status: CustomerStatus) => transitionCustomer(organization, id, status),
  beneficiaries: (organization, id, status: BeneficiaryStatus) => transitionBeneficiary(organization, id, status),
};

/** Applies the next step of a plan; postpones it if the payment is held. */
function applyNextStep(
  organization: OrganizationState,
  plan: TransitionPlan,
  now = organization.platform.clock.now(),
): void {
  const { kind, id, steps, trigger } = plan;
  const payment = kind === 'payments' ? organization.payments.get(id)?.record : undefined;
  if (payment !== undefined && waitsForReview(organization, payment.customerId, steps[0] ?? ''))
    return organization.schedule.plan(kind, id, steps, trigger, now);
  transitionFns[kind](organization, id, steps[0] as never);
}
