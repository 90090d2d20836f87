import * as z from 'zod';
import * as core from 'zod/v4/core';
import { describeType, requestIssueMessage, unwrap, type RawViolation } from '../contract/describe.js';
import { isDate } from '../contract/objects.js';
import { isRecord, matchesSchema, type AnySchema } from '../contract/predicate.js';
import { isUnknownValue, metadataOf, wellFormedRule, withMetadata } from '../contract/schema/schema.js';
import { timestampFilter, validDateRule } from '../contract/schema/time.js';
import { brokenRule, isBreaking, maxDifferences, responseIssueMessage } from '../contract/violations.js';

/**
 * What a schema is for: `request` accepts what the client sends, `open` the records that it accepts by default, and
 * `strict` those that it accepts with `validation: 'strict'`.
 */
export type SchemaMode = 'request' | 'open' | 'strict';

type Contract = () => AnySchema;
type Shape = Record<string, z.ZodType>;

/** Derives the schema of an object from that of the contract. Its fields are built on first use. */
export function deriveObject(contract: Contract, mode: SchemaMode): z.ZodObject {
  return contractObject(contract, mode, mode !== 'open', () => shapeOf(contract(), mode));
}

function contractObject(contract: Contract, mode: SchemaMode, isClosed: boolean, build: () => Shape): z.ZodObject {
  let shape: Shape | undefined;
  return new ContractObject({
    type: 'object',
    get shape() {
      return (shape ??= build());
    },
    catchall: isClosed ? nothing : anything,
    error: (issue) => errorOf(contract(), mode)(issue),
    contract,
    mode,
  });
}

const nothing = /* @__PURE__ */ z.never();
const anything = /* @__PURE__ */ z.unknown();

function shapeOf(schema: AnySchema, mode: SchemaMode, discriminator?: string): Shape {
  if (!(schema instanceof core.$ZodObject)) return {};
  const fields = Object.entries<AnySchema>(schema._zod.def.shape);
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      name === discriminator ? copyOf(z.ZodLiteral, field, mode) : deriveField(field, mode),
    ]),
  );
}

function deriveField(field: AnySchema, mode: SchemaMode): z.ZodType {
  if (field instanceof core.$ZodOptional) {
    const inner = derive(field._zod.def.innerType, mode);
    return mode === 'request' ? z.optional(inner) : z.exactOptional(inner);
  }
  const schema = unwrap(field);
  const maySkip = mode === 'open' && !isBreaking('missing-field', { schema, isNullable: schema !== field });
  return maySkip ? derive(field, mode).default(null) : derive(field, mode);
}

function derive(schema: AnySchema, mode: SchemaMode): z.ZodType {
  const inner = unwrap(schema);
  const isNullable = inner !== schema || (mode === 'open' && !isBreaking('unexpected-null', { schema: inner }));
  return isNullable ? deriveValue(inner, mode).nullable() : deriveValue(inner, mode);
}

function deriveValue(schema: AnySchema, mode: SchemaMode): z.ZodType {
  if (schema instanceof core.$ZodObject) {
    return contractObject(
      () => schema,
      mode,
      mode !== 'open' && isClosed(schema),
      () => shapeOf(schema, mode),
    );
  }
  if (schema instanceof core.$ZodDiscriminatedUnion) return deriveUnion(schema, mode);
  if (schema instanceof core.$ZodArray) {
    const { element } = schema._zod.def;
    return copyOf(ContractArray, schema, mode, { element: derive(element, mode) });
  }
  if (schema instanceof core.$ZodEnum || schema instanceof core.$ZodLiteral) {
    if (mode === 'open') return new z.ZodString({ type: 'string', error: errorOf(schema, mode) });
    if (schema instanceof core.$ZodLiteral) return copyOf(z.ZodLiteral, schema, mode);
    return mode === 'request'
      ? copyOf(RequestEnum, schema, mode, { accepts: isUnknownValue })
      : copyOf(z.ZodEnum, schema, mode);
  }
  if (schema === timestampFilter()) return deriveTimestampFilter(schema);
  if (schema instanceof core.$ZodString)
    return mode === 'request'
      ? copyOf(z.ZodString, schema, mode).check(isWellFormed())
      : copyOf(z.ZodString, schema, mode);
  if (schema instanceof core.$ZodNumberFormat) return copyOf(z.ZodNumberFormat, schema, mode, { abort: true });
  return schema instanceof core.$ZodNumber ? copyOf(z.ZodNumber, schema, mode) : copyOf(z.ZodBoolean, schema, mode);
}

function isWellFormed(): core.$ZodCheck<unknown> {
  return z.refine<unknown>((text) => String(text).isWellFormed(), { error: () => wellFormedRule, abort: true });
}

/** A filter of the client is a string or a `Date`. */
function deriveTimestampFilter(schema: AnySchema): z.ZodType {
  const isValid = (value: unknown): boolean =>
    isDate(value) ? !Number.isNaN(value.getTime()) : matchesSchema(schema, value);
  const ruleOf = errorOf(schema, 'request');
  const error: ErrorOf = (issue) => (isDate(issue.input) ? validDateRule : ruleOf(issue));
  return copyOf(RequestTimestamp, schema, 'request', {
    accepts: isDate,
    checks: [z.refine<unknown>(isValid, { error })],
  });
}

/** Derives a union from its variants, which a field distinguishes. An open one has unknown variants, too. */
function deriveUnion(union: core.$ZodDiscriminatedUnion, mode: SchemaMode): z.ZodType {
  const { discriminator, options } = union._zod.def;
  const known = options.map((option): [ReadonlySet<unknown>, z.ZodObject] => [
    option._zod.propValues?.[discriminator] ?? new Set(),
    contractObject(
      () => option,
      mode,
      mode === 'strict' && isClosed(option),
      () => shapeOf(option, mode, discriminator),
    ),
  ]);
  const error: ErrorOf = ({ input, path = [] }) =>
    messageOf(mode, { what: 'discriminator', schema: union, value: input, path });
  const { baseSchema = union } = metadataOf(union);
  const unknown = contractObject(
    () => baseSchema,
    mode,
    false,
    () => ({
      [discriminator]: mode === 'open' ? new z.ZodString({ type: 'string', error }) : z.never({ error }),
      ...shapeOf(baseSchema, mode),
    }),
  );
  const variants = known.map(([, variant]) => variant);
  return new ContractUnion({
    type: 'union',
    options: mode === 'open' ? [...variants, unknown] : variants,
    // An unknown variant has the fields of none, or of one.
    ...(mode === 'open' ? {} : { inclusive: false }),
    error: errorOf(union, mode),
    variantOf: (value) => known.find(([values]) => values.has(value[discriminator]))?.[1] ?? unknown,
  });
}

const isClosed = (schema: AnySchema): boolean =>
  schema instanceof core.$ZodObject && schema._zod.def.catchall?._zod.def.type === 'never';

type ErrorOf = (issue: Pick<core.$ZodRawIssue, 'input' | 'path'>) => string;

/** Returns the messages of a schema: those of the client for the same value. */
function errorOf(schema: AnySchema, mode: SchemaMode): ErrorOf {
  return ({ input, path = [] }) => messageOf(mode, { what: 'value', schema, value: input, path });
}

function messageOf(mode: SchemaMode, violation: RawViolation): string {
  return mode === 'request' ? requestIssueMessage(violation, describeType, true) : responseIssueMessage(violation);
}

/** Copies a schema with its checks, and with the messages of the client. The first check that fails ends them. */
function copyOf(
  Class: new (def: never) => z.ZodType,
  schema: AnySchema,
  mode: SchemaMode,
  changes: object = {},
): z.ZodType {
  const error = errorOf(schema, mode);
  const checks = (schema._zod.def.checks ?? []).map((check) => {
    const Check = (
      check as core.$ZodCheck & { readonly _zod: { readonly constr: new (def: object) => core.$ZodCheck } }
    )._zod.constr;
    const when = ({ issues }: core.ParsePayload): boolean => issues.length === 0;
    return new Check({ ...check._zod.def, error, abort: true, when });
  });
  return new Class({ ...schema._zod.def, checks, error, ...changes } as never);
}

// Constructors of their own, because zod copies a schema with its constructor, for example in `pick` and `refine`.

interface ObjectDef extends core.$ZodObjectDef {
  readonly contract: Contract;
  readonly mode: SchemaMode;
}

const ContractObject = /* @__PURE__ */ core.$constructor<z.ZodObject, ObjectDef>('ContractObject', (object, def) => {
  z.ZodObject.init(object, def);
  const { parse } = object._zod;
  const complete = (payload: core.ParsePayload): core.ParsePayload => {
    // zod reports all unknown fields at the object.
    payload.issues = payload.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys' || issue.inst !== object) return [issue];
      const given = issue.input as Readonly<Record<string, unknown>>;
      // The client omits undefined fields. It sends those that unknownFields marks, but anyone can write a mark in JSON.
      const keys = (issue['keys'] as string[]).filter((key) => def.mode !== 'request' || given[key] !== undefined);
      // For the messages, also of schemas that zod has made of this one.
      if (keys.length > 0) withMetadata(object, metadataOf(def.contract()));
      return keys.slice(0, maxDifferences).map((key) => {
        const message = messageOf(def.mode, { what: 'unknown-key', schema: object, value: undefined, path: [key] });
        return { ...issue, keys: [key], path: [key], message };
      });
    });
    const checks = payload.issues.length > 0 ? [] : (def.contract()._zod.def.checks ?? []);
    const { field, rule } = brokenRule(checks, payload.value) ?? {};
    if (field !== undefined && rule !== undefined)
      payload.issues.push({
        code: 'custom',
        path: [field],
        input: (payload.value as Record<PropertyKey, unknown>)[field],
        inst: object,
        message: rule,
      });
    return payload;
  };
  object._zod.parse = (payload, context) => {
    // No code is generated at run time.
    const parsed = parse(payload, { ...context, jitless: true });
    return parsed instanceof Promise ? parsed.then(complete) : complete(parsed);
  };
});

/** Ends after as many issues as the client reports: a malicious list may have millions. */
const ContractArray = /* @__PURE__ */ core.$constructor<z.ZodArray, core.$ZodArrayDef>(
  'ContractArray',
  (array, def) => {
    z.ZodArray.init(array, def);
    const { parse } = array._zod;
    array._zod.parse = (payload, context) => {
      if (!Array.isArray(payload.value)) return parse(payload, context);
      const given = payload.value as readonly unknown[];
      const items: unknown[] = [];
      payload.value = items;
      for (let index = 0; index < given.length && payload.issues.length < maxDifferences; index += 1) {
        // The schemas of the contract are synchronous.
        const item = def.element._zod.run({ value: given[index], issues: [] }, context) as core.ParsePayload;
        payload.issues.push(...item.issues.map((issue) => ({ ...issue, path: [index, ...(issue.path ?? [])] })));
        items.push(item.value);
      }
      return payload;
    };
  },
);

interface UnionDef extends core.$ZodUnionDef {
  readonly variantOf: (value: Readonly<Record<string, unknown>>) => z.ZodType;
}

/** Reports the issues of the variant that the discriminator selects. */
const ContractUnion = /* @__PURE__ */ core.$constructor<z.ZodUnion, UnionDef>('ContractUnion', (union, def) => {
  z.ZodUnion.init(union, def);
  union._zod.parse = (payload, context) => {
    const value: unknown = payload.value;
    if (isRecord(value)) return def.variantOf(value)._zod.run(payload, context);
    payload.issues.push({ code: 'invalid_type', expected: 'object', input: value, inst: union });
    return payload;
  };
});

interface Accepting {
  readonly accepts: (value: unknown) => boolean;
}

/** Creates a constructor of schemas that accept some values of another type. */
function accepting<T extends z.ZodType>(name: string, Class: core.$constructor<T>): core.$constructor<T> {
  return core.$constructor<T, core.$ZodTypeDef & Accepting>(name, (schema, def) => {
    Class.init(schema, def as never);
    const { parse } = schema._zod;
    schema._zod.parse = (payload, context) => (def.accepts(payload.value) ? payload : parse(payload, context));
  }) as unknown as core.$constructor<T>;
}

const RequestEnum = /* @__PURE__ */ accepting('RequestEnum', z.ZodEnum);
const RequestTimestamp = /* @__PURE__ */ accepting('RequestTimestamp', z.ZodString);
