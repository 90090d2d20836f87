import type { JsonSchema, MockFault } from '../../control/records.js';

/** What a fault of each kind does. */
const effects: Readonly<Record<MockFault['kind'], string>> = {
  status: 'An error status. The request is not processed.',
  'rate-limit': 'A 429. The request is not processed.',
  reset: 'The connection breaks. The request is not processed.',
  'reset-after-commit': 'The request is processed, then the connection breaks.',
  'late-commit': 'The connection breaks at once. The request is processed later.',
  hang: 'No response ever arrives. The request is not processed.',
  'hang-after-commit': 'The request is processed. No response ever arrives.',
  'acked-but-lost': 'The response says that it was processed, but its changes are discarded.',
  slow: 'The request is processed. The response is delayed.',
  'cut-body': 'The request is processed. The connection breaks in the middle of the body.',
  'stall-body': 'The request is processed. The body stops in the middle.',
  response: 'Another response. The request is processed, unless the status is 300 or higher.',
  'clock-skew': 'The clock of the platform is wrong for this request.',
};

/** A kind of fault with the fields of its form. */
export interface FaultKind {
  readonly kind: string;
  readonly effect: string;
  readonly fields: readonly FaultField[];
}

/** A field of a fault. */
export interface FaultField {
  readonly name: string;
  readonly type: 'text' | 'number' | 'json';
  readonly required?: boolean;
  readonly hint?: string;
}

const typeOf = (type = 'json'): FaultField['type'] =>
  type === 'string' ? 'text' : type === 'integer' || type === 'number' ? 'number' : 'json';

/** Returns the kinds of faults and their fields, from the schema of the API. */
export function faultKindsOf(schema: JsonSchema): FaultKind[] {
  return (schema.oneOf ?? schema.anyOf ?? []).map(({ properties = {}, required = [] }) => {
    const kind = String(properties['kind']?.const ?? '');
    const fields = Object.entries(properties)
      // A function cannot be sent.
      .filter(([name]) => name !== 'kind' && name !== 'resolver')
      .map(([name, { type, description = '' }]) => ({
        name,
        type: typeOf(type),
        required: required.includes(name),
        hint: `${description}${required.includes(name) ? '' : ' (optional)'}`,
      }));
    return { kind, effect: effects[kind as MockFault['kind']] ?? '', fields };
  });
}

/** Returns the values of fields that are not empty. Throws if one is not what its field allows. */
export function valuesOf(
  fields: readonly FaultField[],
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const entries = fields.flatMap(({ name, type }) => {
    const text = texts[name]?.trim() ?? '';
    if (text === '') return [];
    return [[name, type === 'number' ? Number(text) : type === 'json' ? parseJson(name, text) : text] as const];
  });
  return Object.fromEntries(entries);
}

/** Parses the JSON of a field. Throws an error that names it. */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} must be JSON, such as {"name":"value"}.`);
  }
}
