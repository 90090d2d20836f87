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
  drip: 'The request is processed. The body arrives in small chunks.',
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
  readonly required: boolean;
  readonly isNumber: boolean;
  /** Whether the value is any JSON. */
  readonly isJson: boolean;
  readonly hint: string;
}

/** Returns the kinds of faults and their fields, from the schema of the API. */
export function faultKindsOf(schema: JsonSchema): FaultKind[] {
  return (schema.oneOf ?? schema.anyOf ?? []).map(({ properties = {}, required = [] }) => {
    const kind = String(properties['kind']?.const ?? '');
    const fields = Object.entries(properties)
      // A function cannot be sent.
      .filter(([name]) => name !== 'kind' && name !== 'resolver')
      .map(([name, { type, description = '' }]) => ({
        name,
        required: required.includes(name),
        isNumber: type === 'integer' || type === 'number',
        isJson: type === undefined || type === 'object' || type === 'array' || type === 'boolean',
        hint: `${description}${required.includes(name) ? '' : ' (optional)'}`,
      }));
    return { kind, effect: effects[kind as MockFault['kind']] ?? '', fields };
  });
}

/** Returns the fault of a form. Throws if a value is not what its field allows. */
export function faultOf({ kind, fields }: FaultKind, values: Readonly<Record<string, string>>): object {
  const entries = fields.flatMap(({ name, isNumber, isJson }) => {
    const value = values[name]?.trim() ?? '';
    if (value === '') return [];
    return [[name, isNumber ? Number(value) : isJson ? parseJson(name, value) : value] as const];
  });
  return { kind, ...Object.fromEntries(entries) };
}

/** Parses the JSON of a field. Throws an error that names it. */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} must be JSON, such as {"name":"value"}.`);
  }
}
