import { answerFindings } from '../contract/check.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints, type EndpointName } from '../contract/endpoints.js';
import { answers } from './answers.js';
import type { Call } from './call.js';
import { identify, verify } from './credentials.js';
import { download, isDownload } from './downloads.js';
import { MockPlatformError } from './error.js';
import type { Arrival, Reply } from './exchange.js';
import { Refusal } from './refusal.js';
import { checkedBody, checkedQuery, loggedBody } from './request-check.js';
import { logRequest, type OpenRequest } from './requests.js';
import { routeOf, type Route } from './router.js';
import type { OrganizationState, PlatformState } from './state.js';

/**
 * Answers a request. The steps are apart so that something can go wrong between any two of them: before the work, after it is
 * committed, on the answer. Throws `MockPlatformError` where the mock itself would break the contract.
 */
export async function answer(platform: PlatformState, arrival: Arrival): Promise<Reply> {
  const path = pathBelow(platform.options.baseUrl, arrival.path);
  const route = path === undefined ? undefined : routeOf(arrival.method, path);
  const entry = openRequest(platform, arrival, path ?? arrival.path, route?.endpoint);
  try {
    if (arrival.body.length > platform.options.maxRequestBytes) {
      throw new Refusal(413, 'body_too_large', `the body is larger than ${platform.options.maxRequestBytes} bytes`);
    }
    entry.body = loggedBody(arrival.body);
    if (path !== undefined && arrival.method === 'GET' && isDownload(path)) return downloadReply(platform, entry, path, arrival.search);
    const organization = await admit(platform, entry, arrival);
    if (route === undefined) throw new Refusal(404, 'unknown_endpoint', `${arrival.method} ${arrival.path} is no endpoint of this API`);
    const call = checkedCall(organization, route, arrival);
    const result = work(route.endpoint, call);
    requireContract(route.endpoint, result);
    return jsonReply(platform, entry, endpoints[route.endpoint].success, result);
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(platform, entry, error);
    entry.status = 500;
    throw error;
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

function openRequest(platform: PlatformState, { method, search }: Arrival, path: string, endpoint: EndpointName | undefined): OpenRequest {
  const entry: OpenRequest = {
    endpoint, organization: undefined, method, path, query: Object.fromEntries(new URLSearchParams(search)), body: undefined, claims: undefined,
    refusal: undefined, issues: [], fault: undefined, status: undefined, requestId: platform.requestId(), at: platform.clock.now(),
  };
  logRequest(platform.requests, entry, platform.options.logSize);
  return entry;
}

async function admit(platform: PlatformState, entry: OpenRequest, arrival: Arrival): Promise<OrganizationState> {
  const organization = identify(platform, arrival);
  entry.organization = organization.id;
  logRequest(organization.requests, entry, platform.options.logSize);
  entry.claims = await verify(organization, arrival);
  return organization;
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

function work(endpoint: EndpointName, call: Call<EndpointName>): unknown {
  const act = answers[endpoint] as (call: Call<EndpointName>) => unknown;
  return act(call);
}

function requireContract(name: EndpointName, result: unknown): void {
  const endpoint: Endpoint<unknown> = endpoints[name];
  if (endpoint.result === undefined) return;
  const findings = answerFindings(endpoint.result(), result);
  if (findings.length === 0) return;
  const places = findings.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new MockPlatformError(`the mock's answer of ${name} is not as the contract says: ${places}`);
}

function headersOf(platform: PlatformState, entry: OpenRequest): Record<string, string> {
  const [requestIdHeader = 'x-request-id'] = platform.options.dialect.requestIdHeaders; // Assumed: A-13
  return { date: new Date(platform.clock.now()).toUTCString(), [requestIdHeader]: entry.requestId };
}

function jsonReply(platform: PlatformState, entry: OpenRequest, status: number, result: unknown): Reply {
  entry.status = status;
  const headers = headersOf(platform, entry);
  if (result === undefined) return { status, headers, body: null };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(result) };
}

function refusalReply(platform: PlatformState, entry: OpenRequest, { status, code, message, issues }: Refusal): Reply {
  entry.refusal = { status, code, message };
  entry.issues = issues;
  // Assumed: A-6
  return jsonReply(platform, entry, status, issues.length === 0 ? { code, message } : { code, message, issues });
}

function downloadReply(platform: PlatformState, entry: OpenRequest, path: string, search: string): Reply {
  const found = download(platform, path, new URLSearchParams(search));
  if ('code' in found) throw new Refusal(found.status, found.code, found.message);
  const { organization, file } = found;
  entry.organization = organization.id;
  entry.status = 200;
  const disposition = `attachment; filename="${file.fileName.replace(/["\\]/g, '_')}"`;
  return { status: 200, headers: { ...headersOf(platform, entry), 'content-type': file.contentType, 'content-disposition': disposition }, body: file.content };
}
