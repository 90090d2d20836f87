import * as z from 'zod/mini';
import { custom, functionOf, integerFrom, numberFrom } from '../../contract/option-schemas.js';
import { isPlainObject } from '../../contract/objects.js';
import {
  boolean,
  nonEmptyString,
  discriminatedUnion,
  memoize,
  withMetadata,
  type Schema,
} from '../../contract/schema/schema.js';
import type { RecordedRequest } from '../wire/request-log.js';
import { HttpError } from '../wire/http-error.js';
import type { MockNoResponse, MockResponseDelivery } from '../wire/message.js';
import {
  isDerived,
  isProcessed,
  respondWith,
  type MockPlatformResponse,
  type MockResponse,
  type MockResponseResolver,
} from './response.js';

/**
 * A fault to inject into a request. If the request "is processed", its handler runs and its changes persist, whatever
 * response the client receives.
 */
export type MockFault =
  /** Responds with an error status; the request is not processed. */
  | {
      readonly kind: 'status';
      /** The status, 400 to 599. */ readonly status: number;
      /** The body: a string is sent as it is, any other JSON is serialized. @default the error body of the platform */
      readonly body?: unknown;
      /** The headers to add or replace, such as `{ 'retry-after': '30' }`. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Responds with 429; the request is not processed. */
  | {
      readonly kind: 'rate-limit';
      /**
       * The `retry-after` header, in whole seconds.
       * @default the rest of the planned duration; without one, no such header
       */
      readonly retryAfterSeconds?: number;
    }
  /** The connection breaks; the request is not processed. */
  | { readonly kind: 'reset' }
  /** The request is processed, then the connection breaks. */
  | { readonly kind: 'reset-after-commit' }
  /** The response never arrives; the request is not processed. */
  | { readonly kind: 'hang' }
  /** The request is processed; the response never arrives. */
  | { readonly kind: 'hang-after-commit' }
  /** The connection breaks at once; the request is processed later. */
  | { readonly kind: 'late-commit'; /** The delay in milliseconds on the mock's clock. */ readonly after: number }
  /** Responds as if the request were processed, then discards its changes. */
  | { readonly kind: 'acked-but-lost' }
  /** The request is processed; the response is delayed. */
  | {
      readonly kind: 'slow';
      /**
       * The delay in milliseconds, on the mock's clock if the client waits on it; the seed determines one in a range.
       */
      readonly delay: number | { readonly min: number; readonly max: number };
    }
  /** The request is processed; the connection breaks in the middle of the response body. */
  | { readonly kind: 'cut-body' }
  /** The request is processed; the response body stops in the middle and never ends. */
  | { readonly kind: 'stall-body' }
  /** Another response, or a changed one; see `respond`. */
  | ({
      readonly kind: 'response';
      /** A function that returns the response, in process only. */ readonly resolver?: MockResponseResolver;
    } & MockResponse)
  /** The platform's clock is wrong while it verifies the token and dates the response. */
  | {
      readonly kind: 'clock-skew';
      /** The offset from the mock's clock, in seconds; negative if it is behind. */ readonly seconds: number;
    };

/** The kinds of faults. */
export type MockFaultKind = MockFault['kind'];

/** A fault of one kind. */
export type FaultOf<Kind extends MockFaultKind> = Extract<MockFault, { readonly kind: Kind }>;

type FieldsOf<T> = {
  readonly [Field in Exclude<keyof T, 'kind'>]-?: {} extends Pick<T, Field>
    ? z.ZodMiniOptional<z.ZodMiniType<Exclude<T[Field], undefined>>>
    : z.ZodMiniType<T[Field]>;
};

/** The statuses whose responses have no body. */
const bodiless: readonly unknown[] = [204, 205, 304];

/** Returns the schemas of the fields of a response. */
export const responseShape = (): FieldsOf<MockResponse> => ({
  status: z.optional(integerFrom(200, 599)),
  headers: z.optional(headers()),
  body: json(),
  patch: z.optional(custom((value) => isPlainObject(value) && isJson(value), { rule: 'must be an object of fields' })),
  omit: z.optional(withMetadata(z.array(nonEmptyString()), { rule: 'must be an array of paths, such as ["memo"]' })),
  delay: z.optional(delaySchema()),
  processed: z.optional(boolean()),
});

/** Returns whether the fields of a response fit together. */
function isResponse({ resolver, ...fault }: FaultOf<'response'>): boolean {
  const { kind, status, body, patch, omit, processed, headers: sent, delay } = fault;
  if (resolver !== undefined) return Object.values(fault).every((value) => value === undefined || value === kind);
  const isChange = body !== undefined || status !== undefined || delay !== undefined || processed === false;
  if (!isChange && [patch, omit, sent].every((part) => Object.keys(part ?? {}).length === 0)) return false;
  const isChanged = (patch ?? omit) !== undefined;
  return (
    !(body !== undefined && isChanged) &&
    !(isChanged && (processed === false || (status !== undefined && status >= 300 && processed !== true))) &&
    !(bodiless.includes(status) && (body !== undefined || patch !== undefined))
  );
}

/** The fields of a response, without those that belong together. */
const responseRule =
  'must have either body, or patch and omit, of a request that is processed, or a status, headers or a ' +
  'delay; a status of 204, 205 or 304 allows no body';

/** What a kind of fault accepts and does. */
interface FaultDefinition<Fault> {
  /** Returns the schemas of its fields. @default none */
  readonly fields?: () => FieldsOf<Fault>;
  /** Returns the effect that replaces the handler. @default none: the handler runs */
  readonly before?: (fault: Fault) => MockNoResponse | HttpError | MockPlatformResponse | undefined;
  /** Returns whether it needs a request that the platform accepts: it is about what the request changes. */
  readonly needsSuccess?: (fault: Fault) => boolean;
  /** Returns how the response is delivered. @default as usual */
  readonly delivery?: (fault: Fault) => MockResponseDelivery;
}

const reset = { delivery: { kind: 'reset' } } as const;
const hang = { delivery: { kind: 'hang' } } as const;

const injected = (status: number): HttpError =>
  new HttpError(status, 'injected_fault', `a planned fault responded with ${status}`);

/** Returns the schema of a delay. */
function delaySchema(): z.ZodMiniType<FaultOf<'slow'>['delay']> {
  const milliseconds = numberFrom(0, undefined, ' of milliseconds');
  const range = z.strictObject({ min: milliseconds, max: milliseconds }).check(z.refine(({ min, max }) => min <= max));
  return withMetadata(z.union([milliseconds, withMetadata(range, { rule: 'must have a min that is not above max' })]), {
    rule: 'must be a number of milliseconds, at least 0, or a range such as { min: 100, max: 800 }',
  });
}

/** All kinds, in the order of the documentation. */
const definitions: { readonly [Kind in MockFaultKind]: FaultDefinition<FaultOf<Kind>> } = {
  status: {
    fields: () => ({ status: integerFrom(400, 599), body: json(), headers: z.optional(headers()) }),
    before: ({ status }) => injected(status),
  },
  'rate-limit': {
    fields: () => ({ retryAfterSeconds: z.optional(integerFrom(0, maxSeconds, ' of seconds')) }),
    before: ({ retryAfterSeconds }) => {
      const message = 'a planned fault responded as if the rate limit were exceeded';
      const delay = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return new HttpError(429, 'rate_limited', message, [], delay);
    },
  },
  reset: { before: () => reset },
  'reset-after-commit': { needsSuccess: () => true, delivery: () => reset.delivery },
  'late-commit': {
    fields: () => ({ after: numberFrom(0, maxSeconds * 1000, ' of milliseconds') }),
    before: () => reset,
  },
  hang: { before: () => hang },
  'hang-after-commit': { needsSuccess: () => true, delivery: () => hang.delivery },
  'acked-but-lost': { needsSuccess: () => true },
  slow: {
    fields: () => ({ delay: delaySchema() }),
    delivery: ({ delay }) => ({ kind: 'slow', delay: Number(delay) }),
  },
  'cut-body': { delivery: () => ({ kind: 'cut' }) },
  'stall-body': { delivery: () => ({ kind: 'stall' }) },
  response: {
    fields: () => ({ resolver: z.optional(functionOf<MockResponseResolver>()), ...responseShape() }),
    before: (fault) => {
      if (isProcessed(fault)) return undefined;
      const { status = 200 } = fault;
      return status >= 300 ? injected(status) : { status: 200, headers: {}, body: undefined };
    },
    needsSuccess: isDerived,
  },
  'clock-skew': { fields: () => ({ seconds: numberFrom(-maxSeconds, maxSeconds, ' of seconds') }) },
};

/** Returns what the kind of a fault does. */
export function definitionOf(fault: MockFault): FaultDefinition<MockFault> {
  return definitions[fault.kind] as FaultDefinition<MockFault>;
}

/** Returns the response with what a fault replaces or changes in it. Throws as `respondWith` does. */
export function responseAfter(
  fault: MockFault,
  request: RecordedRequest,
  response: MockPlatformResponse,
): MockPlatformResponse | Promise<MockPlatformResponse> {
  return fault.kind === 'response' || fault.kind === 'status' ? respondWith(fault, request, response) : response;
}

/**
 * Returns how a response is delivered after the handler ran. If it has no body, a fault of the body applies to the
 * whole response.
 */
export function deliveryAfter(fault: MockFault, hasBody: boolean): MockResponseDelivery | undefined {
  const delivery = definitionOf(fault).delivery?.(fault);
  if (hasBody) return delivery;
  return delivery?.kind === 'cut' ? reset.delivery : delivery?.kind === 'stall' ? hang.delivery : delivery;
}

/** A `Date` cannot represent much later times. */
const maxSeconds = 1e9;

/** Headers that the adapters set: others would break the framing of the response. */
const framingHeaders = ['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'];

function headers(): z.ZodMiniType<Readonly<Record<string, string>>> {
  const isHeader = ([name, value]: readonly [string, string]): boolean =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !framingHeaders.includes(name.toLowerCase()) && /^[\x20-\x7e]*$/.test(value);
  const record = z.record(z.string(), z.string());
  return withMetadata(record.check(z.refine((given) => Object.entries(given).every(isHeader))), {
    rule:
      'must be an object of header values in ASCII, such as { ' +
      `"retry-after": "30" }, without ${framingHeaders.join(', ')}`,
  });
}

/** The schema of a fault. */
export const faultSchema: Schema<MockFault> = memoize(() => {
  const [first, ...others] = Object.entries(definitions).map(([kind, { fields }]) => {
    const schema = z.strictObject({ kind: z.literal(kind), ...(fields?.() as z.core.$ZodShape) });
    if (kind !== 'response') return schema;
    const isValid = z.refine((fault) => isResponse(fault as FaultOf<'response'>));
    return withMetadata(schema.check(isValid), { rule: responseRule });
  });
  return discriminatedUnion<MockFault>('kind', [first as z.ZodMiniType, ...others]);
});

const json = () => z.optional(custom(isJson, { rule: 'must be JSON' }));

/** Returns whether a value is JSON, which has no fields that are undefined: `omit` removes a field. */
function isJson(value: unknown): boolean {
  try {
    let isComplete = true;
    JSON.stringify(value, (_, field: unknown) => {
      isComplete &&= !['undefined', 'function', 'symbol'].includes(typeof field);
      return field;
    });
    return isComplete;
  } catch {
    return false;
  }
}
