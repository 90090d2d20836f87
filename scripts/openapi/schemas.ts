import { isDeepStrictEqual } from 'node:util';
import ts from 'typescript';
import * as z from 'zod/mini';
import { metadataOf } from '../../src/contract/schema/schema.ts';
import { cryptoCurrencies, currencyDecimals, paymentCurrencies } from '../../src/contract/schema/payments.ts';
import { emailAddress } from '../../src/contract/schema/support.ts';
import { assumedOf, checker, declared, docsOf, resolved } from './source.ts';

/** A JSON Schema, or another object of the document. */
export type Json = Record<string, unknown>;

/** Requests are exact. Responses stay open to new fields, values and variants. */
export type Direction = 'request' | 'response';

/** The type of a schema in the contract's source. */
interface SchemaContext {
  readonly type: ts.Type;
  /** The type as written in the source, which has the alias names that the compiler resolves. */
  readonly written?: ts.TypeNode | undefined;
  readonly direction: Direction;
}

type AnySchema = z.core.$ZodType;

/** The named schemas of the document. */
export class Components {
  readonly #schemas = new Map<string, Json>();

  /** Returns all schemas by name. */
  all(): Json {
    return Object.fromEntries([...this.#schemas].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Returns a reference to a record of the contract, and adds the record and its parts as components. */
  reference(schema: AnySchema, type: ts.Type, direction: Direction): Json {
    return this.#schemaAt(schema, { type, direction });
  }

  #schemaAt(schema: AnySchema, context: SchemaContext): Json {
    if (schema instanceof z.core.$ZodOptional)
      return this.#schemaAt(schema._zod.def.innerType, { ...context, type: checker.getNonNullableType(context.type) });
    if (schema instanceof z.core.$ZodNullable)
      return orNull(
        this.#schemaAt(schema._zod.def.innerType, { ...context, type: checker.getNonNullableType(context.type) }),
      );
    if (schema instanceof z.core.$ZodArray)
      return {
        ...leaf(schema),
        items: this.#schemaAt(schema._zod.def.element, { type: elementOf(context.type), direction: context.direction }),
      };
    if (schema instanceof z.core.$ZodObject) return this.#record(schema, context);
    if (schema instanceof z.core.$ZodDiscriminatedUnion) return this.#union(schema, context);
    if (context.direction === 'response' && (schema instanceof z.core.$ZodEnum || schema instanceof z.core.$ZodLiteral))
      return this.#openValues(schema, context);
    return leaf(schema);
  }

  #record(schema: z.core.$ZodObject, { type, direction }: SchemaContext, constants: readonly string[] = []): Json {
    const name = nameOf(type);
    const fields = Object.entries(schema._zod.def.shape);
    const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
    const inherited = fields.filter(([field]) => base?.getProperty(field) !== undefined);
    const own = fields.filter(([field]) => base?.getProperty(field) === undefined);
    const open = direction === 'response';
    const part = (entries: typeof fields): Json => ({
      type: 'object',
      ...(entries.some(([, field]) => isRequired(field)) && {
        required: entries.filter(([, field]) => isRequired(field)).map(([field]) => field),
      }),
      properties: Object.fromEntries(
        entries.map(([field, inner]) => [
          field,
          this.#field(inner, { type, direction }, field, constants.includes(field)),
        ]),
      ),
      additionalProperties: open,
      ...(!open && entries.some(([field]) => field === 'currencyCode') && { allOf: amountLimits() }),
    });
    const describe = (of: ts.Type): Json => ({ description: docsOf(of.symbol), ...assumed(assumedOf(nameOf(of))) });
    if (base === undefined) return this.#put(name, { ...describe(type), ...part(own) });
    const { description } = describe(base);
    const parent = this.#put(nameOf(base), { description, ...part(inherited) });
    return this.#put(name, { ...describe(type), allOf: [parent, part(own)] });
  }

  #field(schema: AnySchema, { type, direction }: SchemaContext, name: string, isConstant: boolean): Json {
    const property = type.getProperty(name);
    const declaration = property?.valueDeclaration;
    if (property === undefined || declaration === undefined) throw new Error(`${nameOf(type)} has no ${name}`);
    const written = ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const context = { type: checker.getTypeOfSymbolAtLocation(property, declaration), written, direction };
    return {
      ...(isConstant ? leaf(schema) : this.#schemaAt(schema, context)),
      description: docsOf(property),
      ...assumed(assumedOf(nameOf(type), name)),
    };
  }

  #union(schema: z.core.$ZodDiscriminatedUnion, { type, written, direction }: SchemaContext): Json {
    const { discriminator, options } = schema._zod.def;
    const members = type.isUnion() ? type.types : [type];
    const typeOf = (member: ts.Type): ts.Type =>
      checker.getTypeOfSymbol(member.getProperty(discriminator) as ts.Symbol);
    const known = options.map((option) => {
      const [value] = option._zod.propValues?.[discriminator] ?? [];
      const member = members.find((candidate) => (typeOf(candidate) as ts.StringLiteralType).value === value);
      if (member === undefined || !(option instanceof z.core.$ZodObject))
        throw new Error(`no type for ${discriminator} ${String(value)}`);
      return { value, reference: this.#record(option, { type: member, direction }, [discriminator]) };
    });
    const other = members.find((member) => (typeOf(member).flags & ts.TypeFlags.EnumLike) !== 0);
    if (direction === 'request' || other === undefined) return { oneOf: known.map(({ reference }) => reference) };
    const unrecognized = this.#unrecognized(
      schema,
      other,
      known.map(({ value }) => value),
    );
    const name = written === undefined ? undefined : aliasIn(written);
    if (name === undefined) throw new Error(`a union of ${members.map(nameOf).join(', ')} has no name`);
    return this.#put(name, {
      description: docsOf(declared(name)),
      ...assumed(assumedOf(name)),
      oneOf: [...known.map(({ reference }) => reference), unrecognized],
    });
  }

  // An unknown variant has the shared fields, and its discriminant is not a known value.
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
    const { baseSchema } = metadataOf(schema);
    const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
    if (baseSchema === undefined || base === undefined) return this.#put(nameOf(type), { description, ...own });
    return this.#put(nameOf(type), { description, allOf: [{ $ref: `#/components/schemas/${nameOf(base)}` }, own] });
  }

  // Enums stay open, because a strict client would break on a new status: any string, with the known values listed.
  #openValues(schema: z.core.$ZodEnum | z.core.$ZodLiteral, { written }: SchemaContext): Json {
    const values = [...(schema._zod.values ?? [])];
    const text: Json = { type: 'string', 'x-extensible-enum': values };
    const name = written === undefined ? undefined : aliasIn(written);
    return name === undefined ? text : this.#put(name, { description: docsOf(declared(name)), ...text });
  }

  #put(name: string, schema: Json): Json {
    const known = this.#schemas.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema))
      throw new Error(`${name} has two definitions: ${JSON.stringify(known)} and ${JSON.stringify(schema)}`);
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Returns the marker of assumptions; empty if there are none. */
export function assumed(ids: readonly string[]): Json {
  return ids.length === 0 ? {} : { 'x-assumed': ids.join(', ') };
}

/** Returns the rules of an amount: it is not zero, and has at most the decimals of its currency, and zeros. */
function amountLimits(): Json[] {
  // With the other fields, because linters apply `then` alone.
  const amounts = (pattern: string): Json => ({
    properties: { amount: { type: 'string', pattern } },
    unevaluatedProperties: true,
  });
  const currencies = paymentCurrencies.filter((currency) => !cryptoCurrencies.includes(currency));
  const decimals = [...new Set(currencies.map(currencyDecimals))];
  return [
    amounts('[1-9]'),
    ...decimals.map((count) => ({
      if: {
        properties: { currencyCode: { enum: currencies.filter((currency) => currencyDecimals(currency) === count) } },
      },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: amounts(`^\\d+(\\.\\d{0,${count}}0*)?$`),
    })),
  ];
}

/** Converts a schema without components with zod. */
export function leaf(schema: AnySchema): Json {
  const { $schema: _, items: __, ...json } = z.toJSONSchema(schema) as Json;
  // The limits of safe integers are specific to JavaScript.
  if (schema === emailAddress()) json['format'] = 'email';
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  return json;
}

function orNull(schema: Json): Json {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** Checks whether a field is required. */
export function isRequired(field: AnySchema): boolean {
  return !(field instanceof z.core.$ZodOptional);
}

function elementOf(list: ts.Type): ts.Type {
  const [element] = checker.getTypeArguments(list as ts.TypeReference);
  if (element === undefined) throw new Error(`${checker.typeToString(list)} is not an array`);
  return element;
}

/** Returns the name of a record's type, with its type arguments as a prefix: `CustomerPageEnvelope`. */
function nameOf(type: ts.Type): string {
  const parameters =
    (type.flags & ts.TypeFlags.Object) !== 0 && type.symbol.name !== 'Array'
      ? checker.getTypeArguments(type as ts.TypeReference)
      : [];
  return `${parameters.map(nameOf).join('')}${type.symbol.name}`;
}

/** Finds the named enum or union in a type as written: `PaymentStatus` in `OpenEnum<PaymentStatus> | null`. */
function aliasIn(written: ts.Node): string | undefined {
  const symbol = ts.isTypeReferenceNode(written) ? checker.getSymbolAtLocation(written.typeName) : undefined;
  const target = symbol === undefined ? undefined : resolved(symbol);
  if (target !== undefined && (target.flags & ts.SymbolFlags.TypeAlias) !== 0 && target.name !== 'OpenEnum')
    return target.name;
  return written
    .getChildren()
    .map(aliasIn)
    .find((name) => name !== undefined);
}
