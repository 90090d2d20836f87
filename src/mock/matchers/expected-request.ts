import type { EndpointName } from '../../contract/endpoints.js';
import { describeType } from '../../contract/validate.js';
import { fieldSchemas } from '../../contract/request-fields.js';
import { requireEndpoint } from '../require-valid.js';
import { MockPlatformError } from '../error.js';
import { receivedFields, type RequestFields } from '../http/request-fields.js';
import type { RecordedRequest } from '../http/request-log.js';

/** A matcher that replaces an expected value, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  /** Returns whether a value matches. */
  asymmetricMatch(other: unknown): boolean;
}

/** An expected field of a request: a value or a matcher; undefined if the field must be absent. */
export type ExpectedField<Value> = Value | AsymmetricMatcher | undefined;

/**
 * The expected fields of a request to an endpoint: any of the ids in its path, the filters of its query, and the fields
 * of its body, by the names that the client uses.
 */
export type ExpectedRequest<Name extends EndpointName> = keyof RequestFields<Name> extends never
  ? { readonly [field: string]: never }
  : { readonly [Field in keyof RequestFields<Name>]?: ExpectedField<RequestFields<Name>[Field]> };

/** A field that does not match. */
export interface FieldMismatch {
  readonly field: string;
  readonly expected: unknown;
  readonly received: unknown;
}

/** Returns the fields of a request that do not match. */
export function mismatchesOf(
  request: RecordedRequest,
  expected: object,
  isEqual: (received: unknown, expected: unknown) => boolean,
): FieldMismatch[] {
  const fields = receivedFields(request);
  return Object.entries(expected).flatMap(([field, value]: [string, unknown]) => {
    const received = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return isEqual(received, value) ? [] : [{ field, expected: value, received }];
  });
}

/**
 * Throws `MockPlatformError` if the endpoint or a field is unknown: such an expectation could never pass, or never
 * fail.
 */
export function requireExpected(call: string, endpoint: EndpointName, expected: object = {}): void {
  requireEndpoint(call, endpoint);
  if (typeof expected !== 'object' || expected === null)
    throw new MockPlatformError(`${call}: the expected fields must be an object (received ${describeType(expected)})`);
  const known = [...fieldSchemas(endpoint).keys()];
  const unknown = Object.keys(expected).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new MockPlatformError(
    `${call}: unknown field "${unknown}" of ${endpoint} (${known.length === 0 ? 'the endpoint has no fields' : `expected: ${known.join(', ')}`})`,
  );
}
