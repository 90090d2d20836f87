import * as z from 'zod/mini';
import { custom, functionOf, integerFrom, isPlainObject, numberFrom } from '../../contract/options.js';
import {
  boolean,
  nonEmptyString,
  discriminatedUnion,
  memoize,
  withMetadata,
  type Schema,
} from '../../contract/schema/schema.js';
import type { MockResponse, MockResponseResolver } from './response.js';

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
      readonly retryAfter?: number;
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
  /** The request is processed; the response body arrives in small chunks. */
  | {
      readonly kind: 'drip';
      /** The delay before each chunk in milliseconds, on the mock's clock if the client waits on it. @default 5 */ readonly pause?: number;
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
  processed: z.optional(boolean()),
});

/** Returns whether the fields of a response fit together. */
function isResponse({ resolver, status, headers: sent, body, patch, omit, processed }: FaultOf<'response'>): boolean {
  if (resolver !== undefined) return (status ?? sent ?? body ?? patch ?? omit ?? processed) === undefined;
  const isChanged = (patch ?? omit) !== undefined;
  return (
    !(body !== undefined && isChanged) &&
    !(isChanged && (processed === false || (status !== undefined && status >= 300 && processed !== true))) &&
    !(bodiless.includes(status) && (body ?? patch) !== undefined)
  );
}

/** The fields of a response, without those that belong together. */
const responseRule =
  'must have either body, or patch and omit, of a request that is processed; a status of 204, 205 or 304 allows no body';

/** Returns the schemas of the fields of each kind, in the order of the documentation. */
function faultFields(): { readonly [Kind in MockFaultKind]: FieldsOf<FaultOf<Kind>> } {
  const milliseconds = numberFrom(0, undefined, ' of milliseconds');
  const range = z.strictObject({ min: milliseconds, max: milliseconds }).check(z.refine(({ min, max }) => min <= max));
  return {
    status: {
      status: integerFrom(400, 599),
      body: json(),
      headers: z.optional(headers()),
    },
    'rate-limit': { retryAfter: z.optional(integerFrom(0, maxSeconds, ' of seconds')) },
    reset: {},
    'reset-after-commit': {},
    'late-commit': { after: numberFrom(0, maxSeconds * 1000, ' of milliseconds') },
    hang: {},
    'hang-after-commit': {},
    'acked-but-lost': {},
    slow: {
      delay: withMetadata(z.union([milliseconds, range]), {
        rule: 'must be a number of milliseconds, at least 0, or a range such as { min: 100, max: 800 }',
      }),
    },
    drip: { pause: z.optional(milliseconds) },
    'cut-body': {},
    'stall-body': {},
    response: { resolver: z.optional(functionOf<MockResponseResolver>()), ...responseShape() },
    'clock-skew': { seconds: numberFrom(-maxSeconds, maxSeconds, ' of seconds') },
  };
}

/** A `Date` cannot represent much later times. */
const maxSeconds = 1e9;

/** Headers that the adapters set: others would break the framing of the response. */
const framingHeaders = ['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'];

function headers(): z.ZodMiniType<Readonly<Record<string, string>>> {
  const name = z.string().check(
    z.regex(/^[\w!#$%&'*+.^`|~-]+$/),
    z.refine((text) => !framingHeaders.includes(text.toLowerCase())),
  );
  const value = z.string().check(z.regex(/^[\x20-\x7e]*$/));
  return withMetadata(z.record(name, value), {
    rule: `must be an object of header values in ASCII, such as { "retry-after": "30" }, without ${framingHeaders.join(', ')}`,
  });
}

/** The schema of a fault. */
export const faultSchema: Schema<MockFault> = memoize(() => {
  const [first, ...others] = Object.entries(faultFields()).map(([kind, fields]) =>
    kind === 'response'
      ? withMetadata(
          z
            .strictObject({ kind: z.literal(kind), ...(fields as z.core.$ZodShape) })
            .check(z.refine((fault) => isResponse(fault as FaultOf<'response'>))),
          { rule: responseRule },
        )
      : z.strictObject({ kind: z.literal(kind), ...(fields as z.core.$ZodShape) }),
  );
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
