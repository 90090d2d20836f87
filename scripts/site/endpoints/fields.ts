/** A JSON Schema of the OpenAPI document, as far as the contract uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-extensible-enum'?: readonly string[];
  readonly 'x-assumed'?: string;
}

/** The named schemas of the OpenAPI document. */
export type Schemas = Readonly<Record<string, Schema>>;

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The sentences of a page, each with the record in which it stands: no page says anything twice. */
export type Sentences = Map<string, string>;

/** Describes a record, below a title, and the records in it as markdown: one list of fields for each. */
export function recordSections(name: string, title: string, schemas: Schemas, said: Sentences): string {
  return [...recordsIn(name, schemas)]
    .map((record, index) => {
      const schema = schemas[record] ?? {};
      const head = index === 0 ? [] : [`### ${record}`, unsaid(schema.description ?? '', said, record)];
      return [...head, bodyOf(index === 0 ? title : record, schema, schemas, said)]
        .filter((part) => part !== '')
        .join('\n\n');
    })
    .join('\n\n');
}

/** Describes fields as a list: name, type, lengths, description and rules. */
export function fieldList(fields: readonly Field[], schemas: Schemas, said: Sentences, record = ''): string {
  return fields
    .map(({ name, schema, isRequired }) => {
      const { description = '' } = schema;
      const first = said.get(description);
      const text = unsaid([description, ...rulesOf(schema, schemas)].join(' ').trim(), said, record);
      const type = [
        typeOf(schema, schemas),
        ...lengthsOf(schema),
        ...(isRequired ? [] : ['optional']),
        ...assumptionLinks(schema['x-assumed']),
        ...(first === undefined || first === '' || first === record ? [] : [`as in ${recordLink(first)}`]),
      ].join(', ');
      return [`- **\`${name}\`** *${type}*`, ...(text === '' ? [] : ['', `  ${text}`])].join('\n');
    })
    .join('\n');
}

/** Returns the sentences of a text that the page does not have yet. */
export function unsaid(text: string, said: Sentences, record = ''): string {
  const sentences = text.split(/(?<=\.) (?=[A-Z])/).filter((sentence) => !said.has(sentence));
  for (const sentence of sentences) said.set(sentence, record);
  return sentences.join(' ');
}

/** Links to the rows of the assumptions that a field or a response depends on. */
export function assumptionLinks(ids: string | undefined): string[] {
  return ids === undefined ? [] : [`[assumed: ${ids}](/assumptions.md)`];
}

function bodyOf(record: string, schema: Schema, schemas: Schemas, said: Sentences): string {
  const { oneOf } = schema;
  if (oneOf === undefined) return fieldList(fieldsOf(schema, schemas), schemas, said, record);
  return `One of ${oneOf.map((variant) => recordLink(nameIn(variant))).join(', ')}.`;
}

function fieldsOf(schema: Schema, schemas: Schemas): Field[] {
  const { allOf = [], properties = {}, required = [], $ref } = schema;
  if ($ref !== undefined) return fieldsOf(schemas[nameIn(schema)] ?? {}, schemas);
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
  }));
  return [...allOf.flatMap((part) => fieldsOf(part, schemas)), ...own];
}

/** Returns the names of a record and of the records in it, without those that only list values. */
function recordsIn(name: string, schemas: Schemas, found = new Set<string>()): Set<string> {
  const schema = schemas[name];
  if (schema === undefined || found.has(name) || isValueList(schema)) return found;
  found.add(name);
  const parts = [...fieldsOf(schema, schemas).map((field) => field.schema), ...(schema.oneOf ?? [])];
  for (const part of parts) for (const inner of referencesIn(part)) recordsIn(inner, schemas, found);
  return found;
}

function referencesIn({ $ref, items, anyOf = [] }: Schema): string[] {
  const own = $ref === undefined ? [] : [nameIn({ $ref })];
  return [...own, ...(items === undefined ? [] : referencesIn(items)), ...anyOf.flatMap(referencesIn)];
}

function typeOf(schema: Schema, schemas: Schemas): string {
  const { $ref, type, items, anyOf } = schema;
  if ($ref !== undefined) {
    const name = nameIn(schema);
    return isValueList(schemas[name] ?? {}) ? 'string' : recordLink(name);
  }
  if (anyOf !== undefined) return anyOf.map((part) => typeOf(part, schemas)).join(' or ');
  const types = typeof type === 'string' ? [type] : (type ?? ['any JSON']);
  return types
    .map((each) => (each === 'array' && items !== undefined ? `array of ${typeOf(items, schemas)}` : each))
    .join(' or ');
}

function rulesOf(schema: Schema, schemas: Schemas): string[] {
  const { pattern, format } = schema;
  const code = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
  const open = openValuesOf(schema, schemas);
  return [
    ...(schema.const === undefined ? [] : [`Always \`${schema.const}\`.`]),
    ...(schema.enum === undefined ? [] : [`One of ${code(schema.enum)}.`]),
    ...(open === undefined ? [] : [`Known values: ${code(open)}.`]),
    ...(format === undefined ? [] : [`Format: ${format}.`]),
    ...(pattern === undefined || format !== undefined ? [] : [`Pattern: \`${pattern}\`.`]),
  ];
}

/** The limits of a value: `1 to 64 characters`. */
function lengthsOf({ description = '', minLength, maxLength, minItems, minimum, maximum }: Schema): string[] {
  const limits = (unit: string, least?: number, most?: number): string[] => {
    if ((least === undefined && most === undefined) || /at (?:least|most)/.test(description)) return [];
    const range =
      most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`;
    return [`${range}${unit}${unit !== '' && (most ?? least) !== 1 ? 's' : ''}`];
  };
  return [...limits(' character', minLength, maxLength), ...limits(' item', minItems), ...limits('', minimum, maximum)];
}

function openValuesOf(schema: Schema, schemas: Schemas): readonly string[] | undefined {
  const [reference] = referencesIn(schema);
  const target = reference === undefined ? schema : (schemas[reference] ?? {});
  return target['x-extensible-enum'];
}

const isValueList = (schema: Schema): boolean => schema['x-extensible-enum'] !== undefined;

/** Returns the name of the component schema that a schema refers to. */
export const nameIn = ({ $ref = '' }: Schema): string => $ref.replace('#/components/schemas/', '');

const recordLink = (name: string): string => `[${name}](#${name.toLowerCase()})`;
