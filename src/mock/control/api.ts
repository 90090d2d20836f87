import * as z from 'zod/mini';
import type { ControlAccess } from './access.js';
import { controlCalls, type ControlCall } from './calls.js';
import { ControlError, fail, json } from './control-error.js';
import { formatIssues } from '../../contract/issue.js';
import { validateRequest } from '../../contract/violations.js';
import { describeValue, typeName, unwrap } from '../../contract/describe.js';
import { MockPlatformError } from '../base/mock-error.js';
import { linesType, type MockHttpRequest, type MockHttpResponse } from '../wire/message.js';
import { snapshotFromLines, snapshotToLines } from '../state/snapshot.js';
import type { MockOrganization } from '../platform/organization.js';
import type { MockPlatform } from '../platform/platform.js';

/** A response of the control API. */
export interface ControlResponse extends MockHttpResponse {
  /** The lines of the body, instead of `body`. */
  readonly lines?: Iterable<string>;
}

/** Returns whether the body of a request to the control API is the lines of a snapshot. */
export function hasLines(target: string, contentType: string | undefined): boolean {
  return /^\/__mock\/restore(?:\?|$)/.test(target) && contentType === linesType;
}

/** The path of the control API on a served platform. */
const controlPath = '/__mock';

/**
 * Returns whether a request target, a path with an optional query, belongs to the control API or leads to its console.
 */
export function isControlPath(target: string, method = 'GET'): boolean {
  return /^\/__mock(?:[/?]|$)/.test(target) || (target === '/' && (method === 'GET' || method === 'HEAD'));
}

/**
 * Handles a request to the control API: `POST /__mock/<call>` with the arguments as a JSON array, and
 * `?organization=<id>` for an organization other than the first. Calls that affect the whole platform accept no
 * organization. A snapshot is also sent and received as lines, because a large one exceeds the longest string.
 *
 * @param lines Reads the body of a request that `hasLines`.
 */
export async function control(
  platform: MockPlatform,
  access: ControlAccess,
  request: MockHttpRequest,
  lines?: () => AsyncIterable<string>,
): Promise<ControlResponse> {
  try {
    const name = request.path.slice(controlPath.length + 1);
    // Load balancers and containers check it by any name, without credentials.
    if (name === 'health') return json(200, { status: 'ok' });
    if (name === 'session') return access.createSession(request);
    access.authorize(request);
    const id = requestedOrganization(request);
    if (name === '') return json(200, listCalls(platform));
    const call = controlCalls.get(name) ?? failUnknown(name);
    const given = argumentsOf(name, call, request, lines !== undefined);
    // The table has a function for targets of the scope.
    const target = targetOf(platform, name, call, id) as never;
    try {
      const args = lines === undefined ? given : [await snapshotFromLines(lines())];
      if (name === 'snapshot' && request.headers['accept'] === linesType)
        return {
          status: 200,
          headers: { 'content-type': linesType },
          body: null,
          lines: snapshotToLines(platform.snapshot()),
        };
      const run = (): unknown => call.run(target, ...(args as readonly never[]));
      return json(200, (await platform.callAt(request.origin, run)) ?? null);
    } finally {
      // Records that a call added before it failed remain.
      if (!call.reads) platform.internals().exchanges.notify('state');
    }
  } catch (error) {
    return controlErrorResponse(error);
  }
}

function failUnknown(name: string): never {
  const [part = ''] = name.split('.');
  const known = [...controlCalls.keys()].filter((each) => each.startsWith(`${part}.`)).join(', ');
  const list = known === '' ? '' : ` (known: ${known})`;
  return fail(404, 'unknown_call', `unknown call "${name}"${list}. Send GET ${controlPath} for a list of all calls.`);
}

/** Returns the response for an error of a control call. Throws any other error. */
export function controlErrorResponse(error: unknown): MockHttpResponse {
  if (error instanceof ControlError) return json(error.status, { code: error.code, message: error.message });
  if (error instanceof MockPlatformError) return json(400, { code: 'rejected', message: error.message });
  throw error;
}

/**
 * Returns the organization id in the query, if any. Rejects unknown parameters, because a misspelled one would select
 * the wrong organization.
 */
function requestedOrganization({ search }: MockHttpRequest): string | undefined {
  const query = new URLSearchParams(search);
  const unknown = [...query.keys()].find((name) => name !== 'organization');
  if (unknown !== undefined)
    fail(
      400,
      'invalid_query',
      `unknown query parameter ${JSON.stringify(unknown)} (expected: ` +
        'organization). Send arguments as a JSON array in the body.',
    );
  const [id, ...others] = query.getAll('organization');
  if (others.length > 0) fail(400, 'invalid_query', 'organization is set more than once. Send it once.');
  return id;
}

/** Returns the organization whose requests a stream of `onRequest` has: of the query, or the whole platform. */
export function listenedOrganization(platform: MockPlatform, request: MockHttpRequest): MockOrganization {
  return targetOf(platform, 'onRequest', { scope: 'either' }, requestedOrganization(request));
}

function targetOf(
  platform: MockPlatform,
  name: string,
  { scope }: Pick<ControlCall, 'scope'>,
  id: string | undefined,
): MockOrganization {
  // The platform object has the records of its first organization, but its `requests` and `reset` include all
  // organizations.
  if (id === undefined) return (scope === 'organization' ? platform.organizations[0] : undefined) ?? platform;
  if (scope === 'platform') fail(400, 'invalid_query', `${name} affects the whole platform. Omit ?organization=.`);
  return (
    platform.organizations.find((organization) => organization.id === id) ??
    fail(
      404,
      'unknown_organization',
      `unknown organization ${JSON.stringify(id)}. Send GET ${controlPath}/organizations for all ids.`,
    )
  );
}

/** The most bytes of the body of a request to the control API, unless it is the lines of a snapshot. */
export const maxControlBytes = 32 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the arguments. A JSON array contains all of them, and any other value is the only argument; an empty body has
 * no arguments.
 */
function argumentsOf(
  name: string,
  { parameters, reads }: ControlCall,
  { method, body }: MockHttpRequest,
  isInLines: boolean,
): readonly unknown[] {
  if (method !== 'POST' && !(method === 'GET' && reads))
    fail(405, 'method_not_allowed', `${name} does not accept ${method}. Use POST${reads ? ' or GET' : ''}.`);
  if (isInLines) return [];
  if (body.length > maxControlBytes)
    fail(413, 'body_too_large', 'the body is larger than 32 MiB. Send less at once, and a snapshot as lines.');
  const value = body.length === 0 ? [] : parseJson(body);
  const args = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const names = Object.keys(parameters._zod.def.shape);
  const input = Object.fromEntries(args.map((argument, index) => [names[index] ?? `argument ${index + 1}`, argument]));
  const issues = validateRequest(parameters, input, describeValue);
  if (issues.length > 0)
    fail(
      400,
      'invalid_arguments',
      `${usage(name, parameters)}: ${formatIssues(issues, 'the arguments')}. Send the arguments as a JSON array.`,
    );
  return args;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return fail(400, 'invalid_json', 'the body must be JSON in UTF-8. Send an array of the arguments.');
  }
}

function usage(name: string, parameters: ControlCall['parameters']): string {
  const list = Object.entries(parameters._zod.def.shape).map(
    ([parameter, schema]) =>
      `${parameter}${schema instanceof z.ZodMiniOptional ? '?' : ''}: ${typeName(unwrap(schema))}`,
  );
  return `${name}(${list.join(', ')})`;
}

function listCalls({ seed }: MockPlatform): object {
  return {
    seed,
    usage:
      `POST ${controlPath}/<call>?organization=<id> with the arguments as a JSON array; ` +
      'organization defaults to the first one, and platform calls do not accept it',
    platformCalls: [...controlCalls].filter(([, { scope }]) => scope === 'platform').map(([name]) => name),
    calls: [...controlCalls].map(([name, { parameters }]) => usage(name, parameters)),
  };
}
