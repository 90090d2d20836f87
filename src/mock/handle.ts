import { answerFindings } from '../contract/check.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints, type EndpointName } from '../contract/endpoints.js';
import type { Call } from './call.js';
import { identify, verify } from './credentials.js';
import { isDownload } from './downloads.js';
import { MockPlatformError } from './error.js';
import type { Arrival, Reply } from './exchange.js';
import { deliveryAfter, effectBefore } from './fault-effects.js';
import type { DrawnFault } from './faults.js';
import { Refusal } from './refusal.js';
import { checkedBody, checkedQuery, loggedBeginning, loggedBody, loggedFilters } from './request-check.js';
import { takeQuota } from './rate-limit.js';
import { clockOf, downloadReply, jsonReply, refusalReply, type Handling } from './reply.js';
import { logBytes, logRequest, type OpenRequest } from './requests.js';
import { routeOf, type Route } from './router.js';
import { countReads, work } from './settle.js';
import { mayNotFit, spoiledResult } from './spoiled-answer.js';
import type { OrganizationState, PlatformState } from './state.js';

/** Answers a request. Throws `MockPlatformError` where the mock itself would break the contract, or a fault does not fit the answer. */
export async function answer(platform: PlatformState, arrival: Arrival): Promise<Reply> {
  const path = pathBelow(platform.options.baseUrl, arrival.path);
  const route = path === undefined ? undefined : routeOf(arrival.method, path);
  const entry = openRequest(platform, arrival, path ?? arrival.path, route);
  const handling: Handling = { platform, entry, fault: undefined };
  try {
    if (arrival.body.length > platform.options.maxRequestBytes) {
      throw new Refusal(413, 'body_too_large', `the body is larger than ${platform.options.maxRequestBytes} bytes`);
    }
    entry.body = loggedBeginning(arrival.body);
    if (path !== undefined && arrival.method === 'GET' && isDownload(path)) return downloadReply(handling, path, arrival.search);
    const organization = await admit(handling, route?.endpoint, arrival);
    if (route === undefined) throw new Refusal(404, 'unknown_endpoint', `${arrival.method} ${arrival.path} is no endpoint of this API`);
    return respond(handling, route.endpoint, checkedCall(organization, route, arrival));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(handling, error);
    entry.status = 500;
    const told = MockPlatformError.tell(platform.options.seed, error);
    entry.fault = undefined;
    // The client may try again and tell nobody: the log says what went wrong.
    if (told instanceof MockPlatformError) entry.refusal = { status: 500, code: 'mock_failure', message: told.message };
    throw told;
  }
}

/** The path below that of the base URL; undefined where it is not below. */
function pathBelow(baseUrl: string, path: string): string | undefined {
  const prefix = basePath(baseUrl);
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

function basePath(baseUrl: string): string {
  const start = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2);
  return start === -1 ? '' : baseUrl.slice(start);
}

function openRequest(platform: PlatformState, { method, search, target }: Arrival, path: string, route: Route | undefined): OpenRequest {
  const query = new URLSearchParams(search);
  const entry: OpenRequest = {
    endpoint: route?.endpoint, organization: undefined, method, path, parameters: route?.parameters ?? {}, query: Object.fromEntries(query),
    filters: query.size === 0 ? {} : loggedFilters(platform.options.dialect, query), body: undefined, claims: undefined, refusal: undefined,
    issues: [], fault: undefined, status: undefined, requestId: platform.requestId(), at: platform.clock.now(),
  };
  logRequest(platform.requests, entry, platform.options.logSize);
  logBytes(platform.requests, entry, target.length);
  return entry;
}

/** Lets a request in by its credentials. A fault that is about them happens here. */
async function admit(handling: Handling, endpoint: EndpointName | undefined, arrival: Arrival): Promise<OrganizationState> {
  const { platform, entry } = handling;
  const organization = identify(platform, arrival);
  entry.organization = organization.id;
  entry.body = loggedBody(arrival.body);
  logBytes(platform.requests, entry, arrival.body.length);
  logRequest(organization.requests, entry, platform.options.logSize);
  const drawn = endpoint === undefined ? undefined : organization.faults.draw(endpoint);
  if (drawn?.fault?.kind === 'clock-skew') {
    drawn.use();
    meet(handling, drawn);
  }
  entry.claims = await verify(organization, arrival, clockOf(handling));
  takeQuota(organization);
  organization.settle();
  return organization;
}

function meet(handling: Handling, { fault }: Pick<DrawnFault, 'fault'>): void {
  handling.fault = fault;
  handling.entry.fault = fault?.kind;
}

function checkedCall(organization: OrganizationState, route: Route, arrival: Arrival): Call<EndpointName> {
  const { dialect, baseUrl } = organization.platform.options;
  const endpoint: Endpoint<unknown> = endpoints[route.endpoint];
  const checked = {
    organization,
    parameters: route.parameters,
    query: checkedQuery(endpoint, dialect, arrival.search),
    body: checkedBody(endpoint, dialect, arrival),
    base: `${arrival.origin}${basePath(baseUrl)}`,
  };
  // The generic seam: what was just checked by an endpoint's contract is that endpoint's call.
  return checked as unknown as Call<EndpointName>;
}

/** Answers, with what is planned to go wrong. A fault that does not fit stays planned: a client that tries again must not get past it. */
function respond(handling: Handling, endpoint: EndpointName, call: Call<EndpointName>): Reply {
  if (handling.fault !== undefined) return faulted(handling, endpoint, call);
  const drawn = call.organization.faults.draw(endpoint);
  // Of requests at once, this one is past its credentials: a clock that is off waits for the next.
  if (drawn.fault?.kind === 'clock-skew') return faulted(handling, endpoint, call);
  meet(handling, drawn);
  const reply = faulted(handling, endpoint, call);
  if (handling.fault === drawn.fault) drawn.use();
  return reply;
}

/** Does the work and answers, with what goes wrong before, in place of and after it. */
function faulted(handling: Handling, endpoint: EndpointName, call: Call<EndpointName>): Reply {
  const { organization } = call;
  const { platform, fault } = handling;
  const before = fault === undefined ? undefined : effectBefore(fault);
  if (fault?.kind === 'late-commit') {
    const { parameters, query, body, base } = call;
    organization.agenda.addCall({ at: platform.clock.now() + fault.after, endpoint, parameters, query, body, base });
  }
  if (before instanceof Refusal) return refusalReply(handling, before);
  if (before !== undefined) return { status: 0, headers: {}, body: null, delivery: before };
  const goBack = fault?.kind === 'acked-but-lost' || mayNotFit(fault) ? organization.savepoint() : undefined;
  try {
    const reply = worked(handling, endpoint, call);
    if (fault?.kind === 'acked-but-lost') goBack?.();
    const delivery = fault === undefined ? undefined : deliveryAfter(fault, reply);
    return delivery === undefined ? reply : { ...reply, delivery };
  } catch (error) {
    goBack?.();
    throw error;
  }
}

function worked(handling: Handling, endpoint: EndpointName, call: Call<EndpointName>): Reply {
  try {
    const result = work(endpoint, call);
    requireContract(endpoint, result);
    countReads(call.organization, endpoint, result);
    return jsonReply(handling, call.organization.platform.options.success[endpoint], spoiledResult(handling.fault, result));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // There is no record to spoil: the fault waits for an answer that has one.
    if (mayNotFit(handling.fault)) meet(handling, { fault: undefined });
    return refusalReply(handling, error);
  }
}

function requireContract(name: EndpointName, result: unknown): void {
  const endpoint: Endpoint<unknown> = endpoints[name];
  if (endpoint.result === undefined) return;
  const findings = answerFindings(endpoint.result(), result);
  if (findings.length === 0) return;
  const places = findings.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new MockPlatformError(`the mock's answer of ${name} is not as the contract says: ${places}`);
}
