import type { Outline, OutlineField } from './outline.js';

/**
 * Whether a value is as an outline says. What a predicate lets pass, zod lets pass; what it does not, zod is asked about, which finds
 * the words.
 */
export type Predicate = (value: unknown) => boolean;

/** An outline as plain functions: at once at hand, and allowed everywhere. */
export function predicateOf(outline: Outline): Predicate {
  switch (outline.kind) {
    case 'typeof': return typeof_(outline.type);
    case 'integer': return Number.isSafeInteger;
    case 'anything': return (value) => value !== undefined;
    case 'values': return oneOf(new Set(outline.values));
    case 'nullable': return nullable(predicateOf(outline.inner));
    case 'list': return list(predicateOf(outline.item));
    case 'variants': return variants(outline.discriminator, new Map(outline.variants.map(([value, variant]) => [value, predicateOf(variant)])));
    case 'record': return record(outline.fields, outline.isOpen);
  }
}

function typeof_(type: 'string' | 'boolean'): Predicate {
  return (value) => typeof value === type;
}

function oneOf(values: ReadonlySet<unknown>): Predicate {
  return (value) => values.has(value);
}

function nullable(inner: Predicate): Predicate {
  return (value) => value === null || inner(value);
}

function list(item: Predicate): Predicate {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const each of value as readonly unknown[]) if (!item(each)) return false;
    return true;
  };
}

function variants(discriminator: string, known: ReadonlyMap<unknown, Predicate>): Predicate {
  return (value) => isRecord(value) && known.get(value[discriminator])?.(value) === true;
}

/** Records of one kind have their keys in one order: it is looked up once, and from then on only compared. */
function record(fields: readonly OutlineField[], isOpen: boolean): Predicate {
  const known = new Map(fields.map(({ name, outline }) => [name, predicateOf(outline)]));
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  let order: readonly string[] = [];
  let predicates: readonly Predicate[] = [];
  const inNewOrder = (value: Readonly<Record<string, unknown>>): boolean => {
    const keys = Object.keys(value);
    if (!required.every((name) => Object.hasOwn(value, name)) || (!isOpen && !keys.every((key) => known.has(key)))) return false;
    order = keys;
    predicates = keys.map((key) => known.get(key) ?? (() => true));
    return keys.every((key, index) => (predicates[index] as Predicate)(value[key]));
  };
  return (value) => {
    if (!isRecord(value)) return false;
    let index = 0;
    // The fastest way through an object that there is; a key that is inherited is in no known order.
    for (const key in value) {
      if (key !== order[index]) return inNewOrder(value);
      if (!(predicates[index] as Predicate)(value[key])) return false;
      index += 1;
    }
    return (index > 0 && index === order.length) || inNewOrder(value);
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
