import * as z from 'zod/mini';
import * as core from 'zod/v4/core';
import {
  isUnknownValue,
  memoize,
  metadataOf,
  nonEmptyString,
  Unknown,
  withMetadata,
  type UnknownValue,
} from '../../contract/schema/schema.js';
import { hasNoClass } from '../../contract/objects.js';
import { describeRule, describeType } from '../../contract/describe.js';
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

/** The schema of a marked value in JSON. */
const mark = memoize(() => z.strictObject({ unknownValue: nonEmptyString() }));

const marked = new WeakMap<AnySchema, z.ZodMiniType>();

/** Returns a schema of the contract whose values of sets can also be marked with `unknownValue`. */
export function withMarks(schema: AnySchema): z.ZodMiniType {
  const known = marked.get(schema) ?? buildWithMarks(schema);
  marked.set(schema, known);
  return known;
}

function buildWithMarks(schema: AnySchema): z.ZodMiniType {
  const changed = changeParts(schema, withMarks);
  if (!(schema instanceof core.$ZodEnum)) return changed;
  return withMetadata(z.union([changed, mark()]), { ...metadataOf(schema), rule: describeRule(schema) });
}

/** Returns a schema of the contract with other schemas of its parts; the same one if no part changes. */
function changeParts(schema: AnySchema, change: (part: AnySchema) => z.ZodMiniType): z.ZodMiniType {
  const { def } = schema._zod;
  let hasChanged = false;
  const changed = (part: AnySchema): z.ZodMiniType => {
    const result = change(part);
    hasChanged ||= result !== part;
    return result;
  };
  const parts = (): object => {
    if (schema instanceof core.$ZodObject)
      return {
        shape: Object.fromEntries(
          Object.entries<AnySchema>(schema._zod.def.shape).map(([name, part]) => [name, changed(part)]),
        ),
      };
    if (schema instanceof core.$ZodArray) return { element: changed(schema._zod.def.element) };
    if (schema instanceof core.$ZodUnion) return { options: schema._zod.def.options.map(changed) };
    return schema instanceof core.$ZodNullable || schema instanceof core.$ZodOptional
      ? { innerType: changed(schema._zod.def.innerType) }
      : {};
  };
  const newDef = { ...def, ...parts() };
  if (!hasChanged) return schema as z.ZodMiniType;
  const { constr } = schema._zod as unknown as { readonly constr: new (definition: object) => z.ZodMiniType };
  return withMetadata(new constr(newDef), metadataOf(schema));
}

/** Returns the violations of a value without those that are added values. */
export function withoutAdded(
  added: AddedValues,
  value: unknown,
  violations: readonly ContractViolation[],
): ContractViolation[] {
  return violations.filter((violation) => !added.has(unknownText(value, violation) ?? ''));
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
