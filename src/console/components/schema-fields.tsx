import type { JSX } from 'preact';
import type { JsonSchema } from '../control/record-types.js';
import { Input, type Values } from './controls.js';

/** A field of a form for a value of a JSON Schema. */
export interface SchemaField {
  /** The path of the value, such as `fault.status`. */
  readonly name: string;
  readonly label?: string;
  readonly type: 'text' | 'number' | 'json';
  readonly required?: boolean;
  readonly hint?: string;
}

const types: Readonly<Record<string, SchemaField['type']>> = { string: 'text', integer: 'number', number: 'number' };
// More than these numbers are easier to edit as JSON.
const mostNumbers = 3;

/**
 * Returns the fields for a value: one for a text or a number, one for each of the few numbers of an object, or one for
 * JSON.
 */
export function fieldsOf(name: string, { type = '', properties = {} }: JsonSchema): readonly SchemaField[] {
  const fields = Object.entries(properties)
    // Seconds say the same as other units.
    .filter(([field]) => properties['seconds'] === undefined || field === 'seconds')
    .flatMap(([field, schema]) => fieldsOf(`${name}.${field}`, schema));
  const areNumbers =
    fields.length > 0 && fields.length <= mostNumbers && fields.every((each) => each.type === 'number');
  return areNumbers ? fields : [{ name, type: types[type] ?? 'json' }];
}

/** Returns the values of the fields that are not empty. Throws if one is not what its field allows. */
export function valuesOf(fields: readonly SchemaField[], values: Values): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of fields) {
    const text = values[field.name]?.trim() ?? '';
    if (text === '') continue;
    const path = field.name.split('.');
    const last = path.pop() ?? '';
    let holder = result;
    for (const name of path) holder = (holder[name] ??= {}) as Record<string, unknown>;
    holder[last] = field.type === 'text' ? text : parse(field, text);
  }
  return result;
}

function parse({ name, type }: SchemaField, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const expected = type === 'number' ? 'a number, such as 30' : 'JSON, such as {"name":"value"}';
    throw new Error(`${name} must be ${expected} (received ${text}).`, { cause: error });
  }
}

interface SchemaInputsProps {
  readonly fields: readonly SchemaField[];
  /** Returns the first text of a field. */
  readonly textOf?: (name: string) => string;
  readonly placeholder?: string;
}

/** The inputs of fields. Their labels are the last parts of the names. */
export function SchemaInputs({ fields, textOf = () => '', placeholder }: SchemaInputsProps): JSX.Element {
  return (
    <>
      {fields.map(({ name, label, type, required = false, hint }) => {
        const path = name.split('.').slice(1);
        return (
          <Input
            key={name}
            name={name}
            label={label ?? (path.join(' in ') || name)}
            hideLabel={label === undefined && path.length === 0}
            inputMode={type === 'number' ? 'decimal' : 'text'}
            required={required}
            hint={hint}
            placeholder={placeholder}
            defaultValue={textOf(name)}
          />
        );
      })}
    </>
  );
}
