import {
  validateResponse,
  setAbsentToNull,
  moreIssues,
  maxDifferences,
  type DriftKind,
  type ContractViolation,
} from '../contract/violations.js';
import { matchesSchema, type AnySchema } from '../contract/predicate.js';
import type { Issue } from '../contract/issue.js';
import type { Attempt } from '../errors/api.js';
import { ignoreErrors } from './events.js';
import type { PreparedRequest } from './request.js';

/** The metadata of a response. */
export interface ResponseMetadata {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Headers;
  /** The platform's id of the request, if it sent one. */
  readonly requestId: string | undefined;
  /** The attempts that were made; the last one succeeded. */
  readonly attempts: readonly Attempt[];
}

/** A parsed response. */
export interface ParsedResponse<T> {
  readonly data: T;
  /** Its request id is masked when it is read. */
  readonly metadata: ResponseMetadata;
}

/** Describes an attempt for responses and errors; `delay` is the one before it, in milliseconds. */
export function attemptOf(
  attempt: number,
  { status, errorType }: { readonly status?: number | undefined; readonly errorType?: string | undefined },
  delay: number,
): Attempt {
  return { attempt, ...(status !== undefined && { status }), ...(errorType !== undefined && { errorType }), delay };
}

/** How strictly responses are validated against the contract. */
export type ValidationMode = 'standard' | 'strict' | 'observe';

/**
 * One difference between a response and the contract; never a value. At most 100 are reported per response, then one of
 * kind `truncated`.
 */
export interface Drift {
  /** The endpoint. */
  readonly endpoint: string;
  /** The path in the response, such as `items[0].status`. */
  readonly path: string;
  /** The kind of difference. */
  readonly kind: DriftKind;
}

/** Who is notified of drift, and how secrets are masked. */
export interface ValidationRules {
  readonly onDrift: ((drift: Drift) => void) | undefined;
  /** Redacts secrets from the platform's text, such as the names of unknown fields. */
  readonly redact: (text: string) => string;
  /** Creates a function that masks the API keys of now in a text of the platform. */
  readonly createMask: () => (text: string) => string;
}

/** The data of a response, or the reason why it cannot be used. */
export type ParseResult =
  | { readonly data: unknown; readonly issues: undefined }
  | {
      readonly issues: readonly Issue[];
      readonly body: unknown;
      /** Whether it is JSON, even if it is cut off: another server, such as a proxy, may have sent anything else. */
      readonly isJson: boolean;
      readonly isRetryable: boolean;
    };

/** A request, and how its response is validated. */
type ValidatedRequest = Pick<PreparedRequest, 'endpoint' | 'result'> & { readonly validation: ValidationMode };

/** Parses the body of a successful response and validates it against the contract of its endpoint. */
export function parseResponse(
  request: ValidatedRequest,
  text: string,
  contentType: string,
  rules: ValidationRules,
): ParseResult {
  const parsed = parseJson(text);
  if (request.result === undefined)
    return { data: text === '' ? undefined : parsed.isJson ? parsed.value : text, issues: undefined };
  if (!parsed.isJson || isOfType(contentType, 'html')) {
    const isJson = isOfType(contentType, 'json') && /^\s*[[{]/.test(text);
    const received = text === '' ? 'empty' : rules.redact(describeText(text, contentType));
    const message = isJson ? 'is not valid JSON' : `is ${received}, but must be JSON`;
    return { issues: [{ path: '', message }], body: text, isJson, isRetryable: true };
  }
  return validateBody(request, request.result(), parsed.value, rules);
}

/** Returns whether a content type is one of JSON or HTML. */
export function isOfType(contentType: string | null, type: 'json' | 'html'): boolean {
  return new RegExp(`\\b${type}\\b`, 'i').test(contentType ?? '');
}

/** Describes a text that is not JSON, by its type and its title: a proxy that blocks a request says so there. */
function describeText(text: string, contentType: string): string {
  const [type = ''] = contentType.split(';');
  const title = /<title[^<>]*>([^<]+)/i.exec(text.slice(0, 10_000))?.[1]?.trim().replaceAll(/\s+/g, ' ').slice(0, 80);
  const name = type.trim().slice(0, 80);
  return `${name === '' ? 'of no type' : name}${title === undefined ? '' : ` with the title "${title}"`}`;
}

/** Parses JSON, if the text is JSON. */
export function parseJson(text: string): { readonly isJson: boolean; readonly value: unknown } {
  try {
    return { isJson: true, value: JSON.parse(text) as unknown };
  } catch {
    return { isJson: false, value: undefined };
  }
}

function validateBody(
  { endpoint, validation }: ValidatedRequest,
  schema: AnySchema,
  value: unknown,
  { onDrift, redact }: ValidationRules,
): ParseResult {
  if (matchesSchema(schema, value)) return { data: value, issues: undefined };
  const violations = validateResponse(schema, value);
  const isTolerated = ({ breaking }: ContractViolation): boolean =>
    validation === 'observe' || (validation === 'standard' && !breaking);
  const report = (path: string, kind: DriftKind): void => ignoreErrors(() => onDrift?.({ endpoint, path, kind }));
  const drift = violations.filter(isTolerated);
  for (const { path, kind } of drift.slice(0, maxDifferences)) report(redact(path), kind);
  if (drift.length > maxDifferences) report('', 'truncated');
  const errors = violations.filter((violation) => !isTolerated(violation));
  if (errors.length === 0) {
    // `observe` returns what the platform sent: createOnce and find tell absent from null.
    if (validation === 'standard' && drift.length > 0) setAbsentToNull(schema, value);
    return { data: value, issues: undefined };
  }
  const issues = errors.slice(0, maxDifferences).map(({ path, message }) => ({ path: redact(path), message }));
  const all = errors.length > maxDifferences ? [...issues, moreIssues] : issues;
  return { issues: all, body: value, isJson: true, isRetryable: false };
}
