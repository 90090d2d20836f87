import * as z from 'zod/mini';

/** The fields of an object schema, open to change. */
export type Shape = Record<string, z.core.$ZodType>;

/** The mistakes that one field of a schema can have. */
export const mutations: Readonly<Record<string, (shape: Shape, name: string) => void>> = {
  'is forgotten': (shape, name) => {
    delete shape[name];
  },
  'is there twice, under another name': (shape, name) => {
    shape[`${name}Too`] = fieldOf(shape, name);
  },
  'is of another type': (shape, name) => {
    const field = fieldOf(shape, name);
    shape[name] = within(field, (bare) => (bare instanceof z.core.$ZodBoolean ? z.string() : z.boolean()));
  },
  'may be null, or no longer may': (shape, name) => {
    const field = fieldOf(shape, name);
    if (field instanceof z.core.$ZodOptional) shape[name] = z.exactOptional(nullChanged(field._zod.def.innerType));
    else shape[name] = nullChanged(field);
  },
  'may be absent, or no longer may': (shape, name) => {
    const field = fieldOf(shape, name);
    shape[name] = field instanceof z.core.$ZodOptional ? field._zod.def.innerType : z.exactOptional(field);
  },
};

/**
 * The words by which the specification states names and values: in rows of tables and in lists of fields. Its limits
 * have separate tests.
 */
export function wordsStatedIn(source: string): { word: string; at: number }[] {
  const stated =
    /^(?:\||Common leading fields|Fee line|`totals`|All top-level keys|id, |screeningId|- Page envelope|- Endpoint (?:2|3|6|8|11)\b)/;
  const explanations = ['the `nextCursor` of the previous page', 'the complete set of eventType values'];
  const passedOver = explanations.map((phrase) => ({
    from: source.indexOf(phrase),
    to: source.indexOf(phrase) + phrase.length,
  }));
  return [...source.matchAll(/\b(?:[A-Z][A-Z_0-9]{2,}|[a-z]+[A-Z]\w*)\b/g)]
    .map((match) => ({ word: match[0], at: match.index }))
    .filter(({ at }) => stated.test(source.slice(source.lastIndexOf('\n', at) + 1)))
    .filter(({ at }) => at < source.indexOf('## Limits'))
    .filter(({ at }) => !passedOver.some(({ from, to }) => at >= from && at < to));
}

function fieldOf(shape: Shape, name: string): z.core.$ZodType {
  const field = shape[name];
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}

function nullChanged(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.core.$ZodNullable ? schema._zod.def.innerType : z.nullable(schema);
}

function within(schema: z.core.$ZodType, change: (bare: z.core.$ZodType) => z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodOptional) return z.exactOptional(within(schema._zod.def.innerType, change));
  if (schema instanceof z.core.$ZodNullable) return z.nullable(within(schema._zod.def.innerType, change));
  return change(schema);
}
