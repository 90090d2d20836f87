import type { Description, Fields } from './description.js';

/** The parts that the specification describes in one place and names in another. */
export interface Vocabulary {
  /** By the phrase for a type: `fee line`, `disposition shape`. */
  readonly types: ReadonlyMap<string, Description>;
  /** By its field, if the type is only called an object: `priceBreakdown`. */
  readonly fields: ReadonlyMap<string, Description>;
}

/**
 * How the specification writes an object: `{label, key: strings; values: array of string}` or
 * `matchId (string); isMatch (boolean)`.
 */
export function readFields(
  text: string,
  vocabulary: Vocabulary,
  untyped: 'has the next type' | 'is a string' = 'has the next type',
): Fields {
  const fields = new Map<string, Description>();
  let pending: string[] = [];
  const put = (name: string, described: Description): void => {
    if (fields.has(name)) throw new Error(`${name} stands twice in: ${text}`);
    fields.set(name, described);
  };
  for (const item of splitOutside(text.replace(/\.$/, ''), /[,;]/)) {
    const match = /^`?(\w+)`?(?:: (.+)| \((.+)\))?$/s.exec(item);
    if (match === null) throw new Error(`not a field: ${item}`);
    const [, name = '', afterColon, inParentheses] = match;
    const type = afterColon ?? inParentheses;
    if (type === undefined) {
      const known = vocabulary.fields.get(name);
      // The type is not known yet, the place in the order is.
      put(name, known ?? { type: 'string' });
      if (known === undefined) pending.push(name);
      continue;
    }
    if (untyped === 'has the next type')
      for (const earlier of pending) fields.set(earlier, readType(type, earlier, vocabulary));
    pending = [];
    put(name, readType(type, name, vocabulary));
  }
  return fields;
}

/**
 * How the specification writes a type: `string or null`, `enum PERCENT, FIXED`, `array of {id, name: strings}`,
 * `object: a, b (strings); no other keys`.
 */
export function readType(text: string, field: string, vocabulary: Vocabulary): Description {
  const phrase = text.trim();
  if (phrase.endsWith(' or null'))
    return { ...readType(phrase.slice(0, -' or null'.length), field, vocabulary), nullable: true };
  const known = vocabulary.types.get(phrase);
  if (known !== undefined) return known;
  if (phrase.startsWith('enum ')) return { type: 'string', values: phrase.slice('enum '.length).split(', ') };
  if (phrase.startsWith('constant ')) return { type: 'string', values: [phrase.slice('constant '.length)] };
  if (phrase.startsWith('object: ')) {
    return {
      type: 'object',
      fields: readFields(phrase.slice('object: '.length).replace(/; no other keys$/, ''), vocabulary),
    };
  }
  const [base = '', ...qualifiers] = splitOutside(phrase, /,/);
  // `object, disposition shape` and `string, one of the customer states`: the qualifier says it all.
  const named = qualifiers.map((qualifier) => vocabulary.types.get(qualifier)).find((found) => found !== undefined);
  if (named !== undefined) return named;
  return qualifiers.reduce(qualified, readBase(base, field, vocabulary));
}

function readBase(base: string, field: string, vocabulary: Vocabulary): Description {
  const known = vocabulary.types.get(base);
  if (known !== undefined) return known;
  if (/^(?:all )?strings?$/.test(base)) return { type: 'string' };
  if (base === 'integer' || base === 'boolean') return { type: base };
  const array = /^arrays? of (.+)$/s.exec(base);
  if (array?.[1] !== undefined) return { type: 'array', element: readBase(array[1], field, vocabulary) };
  const braces = /^(?:object )?\{(.+)\}(?: \(strings\))?$/s.exec(base);
  if (braces?.[1] !== undefined) return { type: 'object', fields: readFields(braces[1], vocabulary) };
  if (/^object(?: \([\w ]*below\))?$/.test(base)) {
    const named = vocabulary.fields.get(field);
    if (named !== undefined) return named;
  }
  throw new Error(`not a type: ${base} (of ${field})`);
}

function qualified(described: Description, qualifier: string): Description {
  if (qualifier === 'required' || qualifier === 'all required') return described;
  if (qualifier === 'optional') return { ...described, optional: true };
  if (qualifier === 'an e-mail address') return { ...described, rules: ['an e-mail address'] };
  // `array of {key, label}, strings`: readFields has already read fields without a type as strings.
  if (qualifier === 'strings') return described;
  throw new Error(`not a qualifier: ${qualifier}`);
}

/** Splits at separators outside brackets. */
function splitOutside(text: string, separator: RegExp): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if ('({'.includes(character)) depth += 1;
    if (')}'.includes(character)) depth -= 1;
    if (depth === 0 && separator.test(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
