import type { EndpointName } from '../contract/endpoints.js';
import { MockPlatformError } from './error.js';
import { givenKeys } from './keys.js';
import type { MockOrganizationOptions } from './options.js';
import type { MockOrganization } from './organization.js';
import type { MockPlatform } from './platform.js';
import type { MockRecords } from './records/input.js';
import type { MockSwitches } from './switches.js';
import { movingKinds } from './transitions.js';

/** What a parameter of a control call is in JSON. */
export type ControlType = 'string' | 'number' | 'object' | 'array' | 'string or number' | 'string or object';

/** A parameter of a control call. */
export interface ControlParameter {
  readonly name: string;
  readonly type: ControlType;
  readonly optional?: true;
}

/** A call of the control API: one of the platform, or of one of its organizations. */
export interface ControlCall {
  readonly parameters: readonly ControlParameter[];
  /** Whether it only reads: then `GET` does as well. */
  readonly reads?: true;
  /** What it is about: the whole platform and no organization, or that where none is named. Absent: the named organization, or the first. */
  readonly scope?: 'platform' | 'either';
  readonly act: (platform: MockPlatform, organization: MockOrganization, ...given: readonly never[]) => unknown;
}

const parameter = (name: string, type: ControlType): ControlParameter => ({ name, type });
const optional = (name: string, type: ControlType): ControlParameter => ({ name, type, optional: true });

const recordKinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;
type Records = (organization: MockOrganization) => MockRecords<unknown, never>;

function recordCalls(kind: string, of: Records): [string, ControlCall][] {
  return [
    [`${kind}.add`, { parameters: [optional('record', 'object')], act: (_, organization, record) => of(organization).add(record) }],
    [`${kind}.addMany`, {
      parameters: [parameter('count', 'number'), optional('record', 'object')],
      act: (_, organization, count, record) => of(organization).addMany(wholeNumber(count), record === undefined ? undefined : () => record),
    }],
    [`${kind}.get`, { parameters: [parameter('id', 'string')], reads: true, act: (_, organization, id) => of(organization).get(id as string) }],
    [`${kind}.all`, { parameters: [], reads: true, act: (_, organization) => of(organization).all() }],
  ];
}

function wholeNumber(count: number): number {
  if (Number.isInteger(count) && count >= 0 && count <= 100_000) return count;
  throw new MockPlatformError('count must be a whole number from 0 to 100000');
}

function movingCalls(kind: 'payments' | 'customers' | 'beneficiaries'): [string, ControlCall][] {
  return [
    [`${kind}.transition`, { parameters: [parameter('id', 'string'), parameter('status', 'string')], act: (_, organization, id, status) => organization[kind].transition(id, status) }],
    [`${kind}.plan`, {
      parameters: [parameter('id', 'string'), parameter('statuses', 'array'), parameter('pace', 'object')],
      act: (_, organization, id, statuses, pace) => organization[kind].plan(id, statuses, pace),
    }],
  ];
}

const known = (organization: MockOrganization): object => ({ id: organization.id, name: organization.name, apiKey: organization.clientOptions().apiKey });

async function credentialsOf(organization: MockOrganization): Promise<object> {
  return { id: organization.id, name: organization.name, ...(await organization.credentials()) };
}

async function addOrganization(platform: MockPlatform, options: MockOrganizationOptions = {}): Promise<object> {
  // Before anything is added: what is refused leaves nothing behind.
  if (options.publicKey !== undefined || options.privateKey !== undefined) await givenKeys(options);
  const organization = platform.organization(options);
  // Of a partner who gave a public key only, there is no private one to tell.
  return 'publicKey' in options && !('privateKey' in options) ? { baseUrl: platform.baseUrl, ...known(organization), ...options } : credentialsOf(organization);
}

const endpoint = parameter('endpoint', 'string');
const fault = parameter('fault', 'object');

/** Every call of the control API, by the name that the platform's own method has. */
export const controlCalls: ReadonlyMap<string, ControlCall> = new Map<string, ControlCall>([
  ['organization', { scope: 'platform', parameters: [optional('options', 'object')], act: (platform, _, options) => addOrganization(platform, options) }],
  ['organizations', { scope: 'platform', parameters: [], reads: true, act: (platform) => platform.organizations.map(known) }],
  ['credentials', { parameters: [], reads: true, act: (_, organization) => credentialsOf(organization) }],
  ['populate', { parameters: [optional('sizes', 'object')], act: (_, organization, sizes) => organization.populate(sizes) }],
  ...recordKinds.flatMap((kind) => recordCalls(kind, (organization) => organization[kind] as MockRecords<unknown, never>)),
  ...movingKinds.flatMap(movingCalls),
  ['payments.planCreated', {
    parameters: [parameter('statuses', 'array'), parameter('pace', 'object')],
    act: (_, organization, statuses, pace) => organization.payments.planCreated(statuses, pace),
  }],
  ['customers.activity', { parameters: [parameter('id', 'string')], reads: true, act: (_, organization, id) => organization.customers.activity(id) }],
  ['faults.next', {
    parameters: [endpoint, fault, optional('times', 'number')],
    act: (_, organization, target, planned, times) => organization.faults.next(target, planned, times),
  }],
  ['faults.sequence', { parameters: [endpoint, parameter('steps', 'array')], act: (_, organization, target, steps) => organization.faults.sequence(target, steps) }],
  ['faults.always', { parameters: [endpoint, fault], act: (_, organization, target, planned) => organization.faults.always(target, planned) }],
  ['faults.rate', {
    parameters: [endpoint, parameter('probability', 'number'), fault],
    act: (_, organization, target, probability, planned) => organization.faults.rate(target, probability, planned),
  }],
  ['faults.clear', { parameters: [optional('endpoint', 'string')], act: (_, organization, target) => organization.faults.clear(target) }],
  ['faults.planned', { parameters: [], reads: true, act: (_, organization) => organization.faults.planned }],
  ['requests', {
    parameters: [optional('endpoint', 'string')], reads: true, scope: 'either',
    act: (_, { requests }, name) => (name === undefined ? [...requests] : requests.of(name as EndpointName)),
  }],
  ['clock.now', { scope: 'platform', parameters: [], reads: true, act: (platform) => time(platform) }],
  ['clock.set', { scope: 'platform', parameters: [parameter('to', 'string or number')], act: (platform, _, to) => time(platform, () => platform.clock.set(to)) }],
  ['clock.advance', { scope: 'platform', parameters: [parameter('by', 'object')], act: (platform, _, by) => time(platform, () => platform.clock.advance(by)) }],
  ['clock.freeze', { scope: 'platform', parameters: [optional('at', 'string or number')], act: (platform, _, at) => time(platform, () => platform.clock.freeze(at)) }],
  ['clock.resume', { scope: 'platform', parameters: [], act: (platform) => time(platform, () => platform.clock.resume()) }],
  ['assumptions', { scope: 'platform', parameters: [], reads: true, act: (platform) => platform.assumptions() }],
  ['assume', { scope: 'platform', parameters: [parameter('switches', 'object')], act: (platform, _, switches) => platform.assume(withoutNull(switches)) }],
  ['snapshot', { scope: 'platform', parameters: [], reads: true, act: (platform) => platform.snapshot() }],
  ['restore', { scope: 'platform', parameters: [parameter('snapshot', 'object')], act: (platform, _, snapshot) => platform.restore(snapshot) }],
  ['reset', { parameters: [], act: (_, organization) => organization.reset() }],
  ['resetAll', { scope: 'platform', parameters: [], act: (platform) => platform.reset() }],
]);

/** JSON has no undefined, which puts a switch back to its default. */
function withoutNull(switches: object): MockSwitches {
  return Object.fromEntries(Object.entries(switches).map(([name, value]: [string, unknown]) => [name, value ?? undefined]));
}

function time({ clock }: MockPlatform, move: () => void = () => {}): object {
  move();
  return { now: new Date(clock.now()).toISOString() };
}
