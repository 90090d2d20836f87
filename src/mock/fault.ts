import { MockPlatformError } from './error.js';

/**
 * Something that goes wrong with a request. Where it says "the work is done", the platform keeps what the request asked for,
 * whatever the client gets to see of it.
 */
export type MockFault =
  /** Refuses with a status; the work is not done. */
  | { readonly kind: 'status'; /** The status, 400 to 599. */ readonly status: number; /** The body. @default the error body of the platform */ readonly body?: unknown }
  /** Refuses with 429; the work is not done. */
  | { readonly kind: 'rate-limit'; /** What `retry-after` says, in whole seconds. @default no such header */ readonly retryAfter?: number }
  /** The connection breaks before the work is done. */
  | { readonly kind: 'reset' }
  /** The work is done, then the connection breaks. */
  | { readonly kind: 'reset-after-commit' }
  /** No answer comes, and the work is not done. */
  | { readonly kind: 'hang' }
  /** The work is done, and no answer comes. */
  | { readonly kind: 'hang-after-commit' }
  /** The connection breaks at once; the work is done later. */
  | { readonly kind: 'late-commit'; /** How much later, in milliseconds on the mock's clock. */ readonly after: number }
  /** Answers as if the work were done, and forgets it. */
  | { readonly kind: 'acked-but-lost' }
  /** The work is done, the answer comes late. */
  | { readonly kind: 'slow'; /** How late, in milliseconds of `setTimeout`. */ readonly delay: number }
  /** The work is done, the answer's body comes in small pieces. */
  | { readonly kind: 'drip'; /** The pause before each piece, in milliseconds of `setTimeout`. @default 5 */ readonly pause?: number }
  /** The work is done, the connection breaks in the middle of the answer's body. */
  | { readonly kind: 'cut-body' }
  /** The work is done, the answer's body stops in the middle and never ends. */
  | { readonly kind: 'stall-body' }
  /** The work is done, the answer's body is no JSON. */
  | { readonly kind: 'malformed-json' }
  /** The work is done, a page of HTML comes in place of the answer, with the same status. */
  | { readonly kind: 'html' }
  /** The work is done, a field of the answer has the wrong type. */
  | { readonly kind: 'wrong-type'; /** Which field, such as `amount` or `items[0].status`. */ readonly path: string }
  /** The work is done, the answer's records have a field that the contract does not know. */
  | { readonly kind: 'unknown-field' }
  /** The work is done, the `status` of the answer's records is one that the contract does not know. */
  | { readonly kind: 'unknown-status' }
  /** Redirects with 307; the work is not done. */
  | { readonly kind: 'redirect'; /** The URL of the `location` header. */ readonly location: string }
  /** The platform's clock is off while it verifies the token and dates its answer. */
  | { readonly kind: 'clock-skew'; /** How far ahead of the mock's clock, in seconds; negative where it is behind. */ readonly seconds: number };

/** What can go wrong. */
export type MockFaultKind = MockFault['kind'];

/** A fault of one kind. */
export type FaultOf<Kind extends MockFaultKind> = Extract<MockFault, { readonly kind: Kind }>;

interface Rule {
  readonly isAllowed: (value: unknown) => boolean;
  readonly words: string;
  readonly optional?: true;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
/** Whether it can be the value of a header. */
const isHeader = (value: unknown): boolean => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
/** Farther than this no date reaches. */
const isSkew = (value: unknown): boolean => isNumber(value) && Math.abs(value) <= 1e9;
/** What `retry-after` can say. */
const isDelay = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= 0 && value <= 1e9;
const milliseconds: Rule = { isAllowed: (value) => isNumber(value) && value >= 0, words: 'a number of milliseconds, 0 or more' };

const rules: { readonly [Kind in MockFaultKind]: { readonly [Field in Exclude<keyof FaultOf<Kind>, 'kind'>]: Rule } } = {
  'status': {
    status: { isAllowed: (value) => isNumber(value) && Number.isInteger(value) && value >= 400 && value <= 599, words: 'a whole number from 400 to 599' },
    body: { isAllowed: isJson, words: 'plain JSON', optional: true },
  },
  'rate-limit': { retryAfter: { isAllowed: isDelay, words: 'a whole number of seconds, from 0 to 1e9', optional: true } },
  'reset': {},
  'reset-after-commit': {},
  'hang': {},
  'hang-after-commit': {},
  'late-commit': { after: milliseconds },
  'acked-but-lost': {},
  'slow': { delay: milliseconds },
  'drip': { pause: { ...milliseconds, optional: true } },
  'cut-body': {},
  'stall-body': {},
  'malformed-json': {},
  'html': {},
  'wrong-type': { path: { isAllowed: isText, words: 'the path of a field, such as "items[0].status"' } },
  'unknown-field': {},
  'unknown-status': {},
  'redirect': { location: { isAllowed: isHeader, words: 'a URL' } },
  'clock-skew': { seconds: { isAllowed: isSkew, words: 'a number of seconds, of 1e9 at most' } },
};

/** The kinds of faults, in the order in which they are documented. */
export const faultKinds = Object.keys(rules) as MockFaultKind[];

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** A copy of a fault. Throws `MockPlatformError` naming the field where it is not one. */
export function checkedFault(call: string, fault: MockFault): MockFault {
  const { kind, ...fields } = Object(fault) as { readonly kind?: unknown; readonly [field: string]: unknown };
  if (typeof kind !== 'string' || !Object.hasOwn(rules, kind)) {
    throw new MockPlatformError(`${call}: ${JSON.stringify(kind)} is not a kind of fault; there are ${faultKinds.join(', ')}`);
  }
  const known: { readonly [field: string]: Rule } = rules[kind as MockFaultKind];
  for (const field of Object.keys(fields)) {
    if (!Object.hasOwn(known, field)) throw new MockPlatformError(`${call}: a fault of the kind ${kind} has no field ${field}`);
  }
  for (const [field, { isAllowed, words, optional }] of Object.entries(known)) {
    const value = fields[field];
    if (value === undefined && optional === true) continue;
    if (!isAllowed(value)) throw new MockPlatformError(`${call}: ${field} of a fault of the kind ${kind} must be ${words}`);
  }
  // As a snapshot tells it: without fields that are undefined.
  return JSON.parse(JSON.stringify(fault)) as MockFault;
}
