import * as z from 'zod/mini';
import { custom, integerFrom, numberFrom } from '../../contract/options.js';
import {
  nonEmptyString,
  discriminatedUnion,
  memoize,
  withMetadata,
  type Schema,
} from '../../contract/schema/schema.js';

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
      /** The delay in milliseconds, on the mock's clock if the client waits on it. */ readonly delay: number;
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
  /** The request is processed; the response has another body, such as malformed JSON or an HTML page. */
  | {
      readonly kind: 'replace-body';
      /** The body, which is sent as it is. */ readonly body: string;
      /** The `content-type` header. @default that of the replaced body */ readonly contentType?: string;
    }
  /** The request is processed; a field of the response has another value, or is absent. */
  | {
      readonly kind: 'change-field';
      /** The path of the field, such as `amount` or `items[0].status`. */ readonly path: string;
      /** The value, which is any JSON. @default none: the field is absent */ readonly value?: unknown;
    }
  /** The request is processed; the records in the response have a field that the contract does not know. */
  | { readonly kind: 'unknown-field' }
  /** Redirects with 307; the request is not processed. */
  | { readonly kind: 'redirect'; /** The URL of the `location` header. */ readonly location: string }
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

/** Returns the schemas of the fields of each kind, in the order of the documentation. */
function faultFields(): { readonly [Kind in MockFaultKind]: FieldsOf<FaultOf<Kind>> } {
  const milliseconds = numberFrom(0, undefined, ' of milliseconds');
  return {
    status: {
      status: integerFrom(400, 599),
      body: json(),
      headers: z.optional(headers()),
    },
    'rate-limit': { retryAfter: z.optional(integerFrom(0, maxSeconds, ' of seconds')) },
    // Header values are ASCII.
    redirect: { location: withMetadata(z.string().check(z.regex(/^[\x21-\x7e]+$/)), { rule: 'must be a URL' }) },
    reset: {},
    'reset-after-commit': {},
    'late-commit': { after: numberFrom(0, maxSeconds * 1000, ' of milliseconds') },
    hang: {},
    'hang-after-commit': {},
    'acked-but-lost': {},
    slow: { delay: milliseconds },
    drip: { pause: z.optional(milliseconds) },
    'cut-body': {},
    'stall-body': {},
    'replace-body': {
      body: z.string(),
      contentType: z.optional(
        withMetadata(z.string().check(z.regex(/^[\x20-\x7e]+$/)), {
          rule: 'must be a media type, such as "text/html"',
        }),
      ),
    },
    'change-field': {
      path: nonEmptyString({ rule: 'must be the path of a field, such as "items[0].status"' }),
      value: json(),
    },
    'unknown-field': {},
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
    z.strictObject({ kind: z.literal(kind), ...(fields as z.core.$ZodShape) }),
  );
  return discriminatedUnion<MockFault>('kind', [first as z.ZodMiniType, ...others]);
});

const json = () => z.optional(custom(isJson, { rule: 'must be JSON' }));

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
