import { isDeepStrictEqual } from 'node:util';
import ts from 'typescript';
import * as z from 'zod/mini';
import { meaningOf } from '../../src/contract/schema.ts';
import { timestampFilter, timestampPattern } from '../../src/contract/timestamp.ts';
import { assumedOf, checker, declared, docsOf, resolved } from './source.ts';

/** A JSON Schema, or another object of the document. */
export type Json = Record<string, unknown>;

/** Requests are exact. Answers stay open: to fields, values and variants that the platform may add. */
export type Direction = 'request' | 'answer';

/** What the contract's source says of the place where a schema stands. */
interface Place {
  readonly type: ts.Type;
  /** The type as it was written there, which names what the compiler has resolved. */
  readonly written?: ts.TypeNode | undefined;
  readonly direction: Direction;
}

type AnySchema = z.core.$ZodType;

/** The named schemas of the document. */
export class Components {
  readonly #schemas = new Map<string, Json>();

  /** All of them, by name. */
  all(): Json {
    return Object.fromEntries([...this.#schemas].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** A reference to a record of the contract, which becomes a component with all that it consists of. */
  reference(schema: AnySchema, type: ts.Type, direction: Direction): Json {
    return this.#schemaAt(schema, { type, direction });
  }

  #schemaAt(schema: AnySchema, place: Place): Json {
    if (schema instanceof z.core.$ZodOptional) return this.#schemaAt(schema._zod.def.innerType, { ...place, type: checker.getNonNullableType(place.type) });
    if (schema instanceof z.core.$ZodNullable) return orNull(this.#schemaAt(schema._zod.def.innerType, { ...place, type: checker.getNonNullableType(place.type) }));
    if (schema instanceof z.core.$ZodArray) return { ...leaf(schema), items: this.#schemaAt(schema._zod.def.element, { type: elementOf(place.type), direction: place.direction }) };
    if (schema instanceof z.core.$ZodObject) return this.#record(schema, place);
    if (schema instanceof z.core.$ZodDiscriminatedUnion) return this.#union(schema, place);
    if (place.direction === 'answer' && (schema instanceof z.core.$ZodEnum || schema instanceof z.core.$ZodLiteral)) return this.#openValues(schema, place);
    return leaf(schema);
  }

  #record(schema: z.core.$ZodObject, { type, direction }: Place, constants: readonly string[] = []): Json {
    const name = nameOf(type);
    const fields = Object.entries(schema._zod.def.shape);
    const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
    const inherited = fields.filter(([field]) => base?.getProperty(field) !== undefined);
    const own = fields.filter(([field]) => base?.getProperty(field) === undefined);
    const open = direction === 'answer';
    const part = (entries: typeof fields): Json => ({
      type: 'object',
      ...(entries.some(([, field]) => isRequired(field)) && { required: entries.filter(([, field]) => isRequired(field)).map(([field]) => field) }),
      properties: Object.fromEntries(entries.map(([field, inner]) => [field, this.#field(inner, { type, direction }, field, constants.includes(field))])),
      additionalProperties: open,
    });
    const describe = (of: ts.Type): Json => ({ description: docsOf(of.symbol), ...assumed(assumedOf(nameOf(of))) });
    if (base === undefined) return this.#put(name, { ...describe(type), ...part(own) });
    const { description } = describe(base);
    const parent = this.#put(nameOf(base), { description, ...part(inherited) });
    return this.#put(name, { ...describe(type), allOf: [parent, part(own)] });
  }

  #field(schema: AnySchema, { type, direction }: Place, name: string, isConstant: boolean): Json {
    const property = type.getProperty(name);
    const declaration = property?.valueDeclaration;
    if (property === undefined || declaration === undefined) throw new Error(`${nameOf(type)} has no ${name}`);
    const written = ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const place = { type: checker.getTypeOfSymbolAtLocation(property, declaration), written, direction };
    return { ...(isConstant ? leaf(schema) : this.#schemaAt(schema, place)), description: docsOf(property), ...assumed(assumedOf(nameOf(type), name)) };
  }

  #union(schema: z.core.$ZodDiscriminatedUnion, { type, written, direction }: Place): Json {
    const { discriminator, options } = schema._zod.def;
    const members = type.isUnion() ? type.types : [type];
    const typeOf = (member: ts.Type): ts.Type => checker.getTypeOfSymbol(member.getProperty(discriminator) as ts.Symbol);
    const known = options.map((option) => {
      const [value] = option._zod.propValues?.[discriminator] ?? [];
      const member = members.find((candidate) => (typeOf(candidate) as ts.StringLiteralType).value === value);
      if (member === undefined || !(option instanceof z.core.$ZodObject)) throw new Error(`no type for ${discriminator} ${String(value)}`);
      return { value, reference: this.#record(option, { type: member, direction }, [discriminator]) };
    });
    const other = members.find((member) => (typeOf(member).flags & ts.TypeFlags.EnumLike) !== 0);
    if (direction === 'request' || other === undefined) return { oneOf: known.map(({ reference }) => reference) };
    const unrecognized = this.#unrecognized(schema, other, known.map(({ value }) => value));
    const name = written === undefined ? undefined : aliasIn(written);
    if (name === undefined) throw new Error(`a union of ${members.map(nameOf).join(', ')} has no name`);
    return this.#put(name, { description: docsOf(declared(name)), ...assumed(assumedOf(name)), oneOf: [...known.map(({ reference }) => reference), unrecognized] });
  }

  // A variant of a kind that is not known yet: it has the fields that all share, and its discriminant is none of the known values.
  #unrecognized(schema: z.core.$ZodDiscriminatedUnion, type: ts.Type, known: readonly unknown[]): Json {
    const { discriminator } = schema._zod.def;
    const property = type.getProperty(discriminator);
    const own: Json = {
      type: 'object',
      required: [discriminator],
      properties: { [discriminator]: { type: 'string', not: { enum: known }, description: docsOf(property) } },
      additionalProperties: true,
    };
    const description = docsOf(type.symbol);
    const { shared } = meaningOf(schema);
    const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
    if (shared === undefined || base === undefined) return this.#put(nameOf(type), { description, ...own });
    return this.#put(nameOf(type), { description, allOf: [{ $ref: `#/components/schemas/${nameOf(base)}` }, own] });
  }

  // Enums stay open, or a strict client breaks on a new status: any text, and those that are known today beside it.
  #openValues(schema: z.core.$ZodEnum | z.core.$ZodLiteral, { written }: Place): Json {
    const values = [...(schema._zod.values ?? [])];
    const text: Json = { type: 'string', 'x-extensible-enum': values };
    const name = written === undefined ? undefined : aliasIn(written);
    return name === undefined ? text : this.#put(name, { description: docsOf(declared(name)), ...text });
  }

  #put(name: string, schema: Json): Json {
    const known = this.#schemas.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`${name} is two different things: ${JSON.stringify(known)} and ${JSON.stringify(schema)}`);
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** The mark of what is assumed; nothing where nothing is. */
export function assumed(ids: readonly string[]): Json {
  return ids.length === 0 ? {} : { 'x-assumed': ids.join(', ') };
}

/** A schema without parts of its own, as zod puts it. */
export function leaf(schema: AnySchema): Json {
  const { $schema: _, items: __, ...json } = z.toJSONSchema(schema) as Json;
  // What zod cannot put: a check of our own, and that a whole number is one JavaScript can hold.
  if (schema === timestampFilter()) json['pattern'] = timestampPattern.source;
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  return json;
}

function orNull(schema: Json): Json {
  return typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

/** Whether a field must be there. */
export function isRequired(field: AnySchema): boolean {
  return !(field instanceof z.core.$ZodOptional);
}

function elementOf(list: ts.Type): ts.Type {
  const [element] = checker.getTypeArguments(list as ts.TypeReference);
  if (element === undefined) throw new Error(`${checker.typeToString(list)} is no list`);
  return element;
}

/** The name of a record's type; that of a generic one says of what it is: `CustomerPageEnvelope`. */
function nameOf(type: ts.Type): string {
  const parameters = (type.flags & ts.TypeFlags.Object) !== 0 && type.symbol.name !== 'Array' ? checker.getTypeArguments(type as ts.TypeReference) : [];
  return `${parameters.map(nameOf).join('')}${type.symbol.name}`;
}

/** The named set of values or variants in a type as it was written: `PaymentStatus` in `Open<PaymentStatus> | null`. */
function aliasIn(written: ts.Node): string | undefined {
  const symbol = ts.isTypeReferenceNode(written) ? checker.getSymbolAtLocation(written.typeName) : undefined;
  const target = symbol === undefined ? undefined : resolved(symbol);
  if (target !== undefined && (target.flags & ts.SymbolFlags.TypeAlias) !== 0 && target.name !== 'Open') return target.name;
  return written.getChildren().map(aliasIn).find((name) => name !== undefined);
}
