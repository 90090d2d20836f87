import { isUnknownValue, Unknown, type UnknownValue } from '../../contract/schema/schema.js';
import { hasNoClass } from '../../contract/objects.js';
import { describeType } from '../../contract/describe.js';
import type { AnySchema } from '../../contract/predicate.js';
import { type ContractViolation, validateRequest, validateResponse } from '../../contract/violations.js';
import type { Issue } from '../../contract/issue.js';

/** The values of sets that tests have added to an organization, such as a new status. */
export type AddedValues = Set<string>;

/** A type without the marks of unknown values, also in its parts. */
export type Unmarked<T> = T extends UnknownValue
  ? never
  : T extends string | number | boolean | null | undefined | Uint8Array
    ? T
    : { readonly [Field in keyof T]: Unmarked<T[Field]> };

/** Copies JSON, and replaces the values that `unknownValue` marks. */
export function replaceUnknownValues<T>(value: T, replace: (text: string) => unknown): T {
  if (isUnknownValue(value)) return replace(value.unknownValue) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => replaceUnknownValues(item, replace)) as T;
  if (!hasNoClass(value)) return value;
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => [
    name,
    replaceUnknownValues(field, replace),
  ]);
  return Object.fromEntries(fields) as T;
}

/** Returns JSON as the validation of requests accepts it: with any marked values. */
export const withUnknownTexts = <T>(value: T): T => replaceUnknownValues(value, (text) => new Unknown(text));

/** Returns JSON with the marked values as texts, and adds them. */
export const addUnknownValues = <T>(added: AddedValues, value: T): T =>
  replaceUnknownValues(value, (text) => (added.add(text), text));

/** Returns the violations of a value without those that are added values. */
export function withoutAdded(
  added: AddedValues,
  value: unknown,
  violations: readonly ContractViolation[],
): ContractViolation[] {
  return violations.filter((violation) => !added.has(unknownText(value, violation) as string));
}

/** Returns the text of a violation that is an unknown value or variant. */
export function unknownText(value: unknown, { kind, path }: ContractViolation): string | undefined {
  if (kind !== 'unknown-value' && kind !== 'unknown-variant') return undefined;
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce<unknown>((parent, key) => (Object(parent) as Record<string, unknown>)[key], value) as string;
}

/** Returns the issues of a request, as `validateRequest` does, without those that are added values. */
export function issuesOf(
  added: AddedValues,
  schema: AnySchema,
  value: unknown,
  describe = describeType,
  withFix = true,
): Issue[] {
  const issues = validateRequest(schema, value, describe, withFix);
  if (issues.length === 0 || added.size === 0) return issues;
  const unexpected = new Set(withoutAdded(added, value, validateResponse(schema, value)).map(({ path }) => path));
  return issues.filter(({ path }) => unexpected.has(path));
}
