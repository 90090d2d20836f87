import { controlCalls, type ControlCall, type ControlParameter, type ControlType } from './control-calls.js';
import { MockPlatformError } from './error.js';
import type { Arrival, Reply } from './exchange.js';
import { isObject } from './json.js';
import type { MockOrganization } from './organization.js';
import type { MockPlatform } from './platform.js';

/** Where the control API lies on a served platform. */
const controlPath = '/__mock';

/** Whether a request is one to the control API, by its path and query. */
export function isControlTarget(target: string): boolean {
  return /^\/__mock(?:[/?]|$)/.test(target);
}

/** Why a request to the control API is refused. */
class ControlRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Answers a request to the control API: `POST /__mock/<call>` with the call's arguments as a JSON array, and `?organization=<id>`
 * where it is about another organization than the first. Calls about the whole platform take no organization.
 */
export async function control(platform: MockPlatform, arrival: Arrival): Promise<Reply> {
  try {
    requireLocal(arrival);
    const id = namedOrganization(arrival);
    const name = arrival.path.slice(controlPath.length + 1);
    if (name === '') return json(200, listing());
    const call = controlCalls.get(name) ?? refuse(404, 'unknown_call', `there is no call ${name}; GET ${controlPath} lists them all`);
    const given = argumentsOf(name, call, arrival);
    const result = await call.act(platform, organizationOf(platform, name, call, id), ...(given as readonly never[]));
    return json(200, result ?? null);
  } catch (error) {
    if (error instanceof ControlRefusal) return json(error.status, { code: error.code, message: error.message });
    if (error instanceof MockPlatformError) return json(400, { code: 'refused', message: error.message });
    throw error;
  }
}

function refuse(status: number, code: string, message: string): never {
  throw new ControlRefusal(status, code, message);
}

const localHosts = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** A web page must reach the control API neither as itself nor under a name that it makes resolve to loopback. */
function requireLocal({ header, origin }: Arrival): void {
  const [host, from, site] = [header('host') ?? '', header('origin'), header('sec-fetch-site')];
  if (!localHosts.test(host)) refuse(403, 'foreign_host', `the control API answers at ${origin} only, not to the host ${JSON.stringify(host)}`);
  if (from !== null && from !== `http://${host}`) refuse(403, 'foreign_origin', `the control API does not answer pages of ${JSON.stringify(from)}`);
  if (site === 'cross-site' || site === 'same-site') refuse(403, 'foreign_origin', 'the control API does not answer pages of another origin');
}

/** The id in the query; undefined where there is none. What is misspelt must not make a call about another organization. */
function namedOrganization({ search }: Arrival): string | undefined {
  const [first, ...others] = new URLSearchParams(search);
  for (const [parameter] of first === undefined ? [] : [first, ...others]) {
    if (parameter !== 'organization') refuse(400, 'wrong_query', `${JSON.stringify(parameter)} is not a query parameter: the only one is organization, and arguments are sent as a JSON array in the body`);
  }
  if (others.length > 0) refuse(400, 'wrong_query', 'organization is given more than once');
  return first?.[1];
}

function organizationOf(platform: MockPlatform, name: string, { scope }: ControlCall, id: string | undefined): MockOrganization {
  // As an organization the platform has the records of its first one, but its requests and its reset are those of all.
  if (id === undefined) return (scope === undefined ? platform.organizations[0] : undefined) ?? platform;
  if (scope === 'platform') refuse(400, 'wrong_query', `${name} is about the whole platform: leave ?organization= away`);
  return platform.organizations.find((organization) => organization.id === id) ?? refuse(404, 'unknown_organization', `there is no organization ${JSON.stringify(id)}`);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The arguments: a JSON array; anything else is the only argument, and nothing is none. */
function argumentsOf(name: string, { parameters, reads }: ControlCall, { method, body }: Arrival): readonly unknown[] {
  if (method !== 'POST' && !(method === 'GET' && reads === true)) refuse(405, 'wrong_method', `${name} is called by POST${reads === true ? ' or GET' : ''}`);
  const value = body.length === 0 ? [] : parsed(body);
  const given = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (given.length > parameters.length) refuse(400, 'wrong_arguments', `${usage(name, parameters)} takes no more than ${parameters.length} arguments`);
  for (const [index, parameter] of parameters.entries()) {
    const argument = given[index];
    if (argument === undefined ? parameter.optional === true : isOf(parameter.type, argument)) continue;
    refuse(400, 'wrong_arguments', `${usage(name, parameters)}: ${parameter.name} must be ${/^[ao]/.test(parameter.type) ? 'an' : 'a'} ${parameter.type}; send the arguments as a JSON array`);
  }
  return given;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return refuse(400, 'not_json', 'the body must be JSON: an array of the arguments');
  }
}

function isOf(type: ControlType, value: unknown): boolean {
  return type.split(' or ').some((each) => (each === 'array' ? Array.isArray(value) : each === 'object' ? isObject(value) : typeof value === each));
}


function usage(name: string, parameters: readonly ControlParameter[]): string {
  return `${name}(${parameters.map((parameter) => `${parameter.name}${parameter.optional === true ? '?' : ''}: ${parameter.type}`).join(', ')})`;
}

function listing(): object {
  return {
    usage: `POST ${controlPath}/<call>?organization=<id> with the arguments as a JSON array; without an organization, the first is meant, and calls of the platform take none`,
    ofThePlatform: [...controlCalls].filter(([, { scope }]) => scope === 'platform').map(([name]) => name),
    calls: [...controlCalls].map(([name, { parameters }]) => usage(name, parameters)),
  };
}

function json(status: number, result: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result) };
}
