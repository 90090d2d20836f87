import * as z from 'zod';
import { metadataOf } from '../src/contract/schema/schema.ts';
import { describeRule } from '../src/contract/describe.ts';
import { recordKinds } from '../src/mock/state/record-kinds.ts';
import { scenarioSchemas } from '../src/mock/platform/scenario.ts';

/** A JSON schema, or another part of one. */
interface Json {
  readonly [keyword: string]: unknown;
}

/**
 * Returns the JSON schema of scenario files as text. It is derived from the schema with which `scenarios.load` validates:
 * the names and types of all fields.
 */
export function scenarioJsonSchema(): string {
  const schema = jsonSchemaOf(scenarioSchemas.plausible());
  return `${format(withReferences({ title: 'A scenario of the mock platform', ...schema }))}\n`;
}

/** The schema of a marked value. */
const mark = {
  type: 'object',
  properties: { unknownValue: { type: 'string', minLength: 1, description: 'must be a non-empty string' } },
  required: ['unknownValue'],
  additionalProperties: false,
};

function jsonSchemaOf(schema: z.core.$ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const { rule } = metadataOf(zodSchema);
      if (rule !== undefined && !('enum' in jsonSchema)) jsonSchema.description = rule;
      // In records, a value of a set can also be one that `unknownValue` marks.
      if ('enum' in jsonSchema && [...recordKinds, 'createdPayments'].some((part) => part === path[1])) {
        const known = { type: 'string' as const, enum: jsonSchema.enum };
        delete jsonSchema.type;
        delete jsonSchema.enum;
        Object.assign(jsonSchema, { anyOf: [known, mark], description: describeRule(zodSchema) });
      }
    },
  });
  return json as Json;
}

/** Writes larger parts that are equal once, in `$defs`. */
function withReferences(schema: Json): Json {
  const uses = new Map<string, number>();
  const count = (part: Json): void => {
    const text = JSON.stringify(part);
    uses.set(text, (uses.get(text) ?? 0) + 1);
    if (uses.get(text) === 1) mapParts(part, (inner) => (count(inner), inner));
  };
  count(schema);
  const names = new Map<string, string>();
  const $defs: Record<string, Json> = {};
  const referTo = (part: Json, name: string): Json => {
    const text = JSON.stringify(part);
    if (text.length < smallestDefinition || uses.get(text) === 1) return mapParts(part, referTo);
    let key = names.get(text);
    if (key === undefined) {
      const equal = [...names.values()].filter((each) => each.replace(/\d+$/, '') === name).length;
      key = `${name}${equal === 0 ? '' : equal + 1}`;
      names.set(text, key);
      $defs[key] = mapParts(part, referTo);
    }
    return { $ref: `#/$defs/${key}` };
  };
  return { ...mapParts(schema, referTo), $defs };
}

/** The length of the shortest part that a reference replaces. */
const smallestDefinition = 100;

/** Returns a schema with other parts; `change` also gets the name of the property or of the keyword. */
function mapParts(schema: Json, change: (part: Json, name: string) => Json): Json {
  const changed = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => changed(item, name));
    return typeof value === 'object' && value !== null ? change(value as Json, name) : value;
  };
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === 'properties'
        ? Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, changed(part, name)]))
        : changed(value, keyword),
    ]),
  );
}

/** Formats JSON in lines of at most 120 characters, if its texts are not longer. */
function format(value: unknown, indent = '', used = 0): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + used + line.length < 120) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item: unknown) => inner + format(item, inner)).join(',\n')}\n${indent}]`;
  const fields = Object.entries(value).map(([name, field]) => {
    const key = `${JSON.stringify(name)}: `;
    return inner + key + format(field, inner, key.length);
  });
  return `{\n${fields.join(',\n')}\n${indent}}`;
}
