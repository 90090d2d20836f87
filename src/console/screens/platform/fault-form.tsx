import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Form, Input, Select, type Values } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import { fieldsOf, SchemaInputs, valuesOf, type SchemaField } from '../../components/schema-fields.js';
import type { JsonSchema, MockFault, Schemas } from '../../control/record-types.js';
import { change, useControl } from '../../control/use-control.js';

/** What a fault of each kind does. */
export const effects: Readonly<Record<string, string>> = {
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
} satisfies Record<MockFault['kind'], string>;

const modes = { next: 'The next requests', always: 'Every request', rate: 'A share of requests' } as const;
type Mode = keyof typeof modes;

const times: SchemaField = { name: 'times', label: 'Number of requests', type: 'number', required: true };
const share: SchemaField = { name: 'share', label: 'Share in percent', type: 'number', required: true };
const duration: SchemaField = {
  name: 'duration.seconds',
  label: 'Duration in seconds',
  type: 'number',
  hint: "on the mock's clock (optional)",
};
const modeFields: Readonly<Record<Mode, readonly SchemaField[]>> = {
  next: [times],
  always: [duration],
  rate: [share, duration],
};

/** Returns the fields of any fault for an endpoint with certain fields. */
const commonFieldsOf = (fields: readonly string[] = []): readonly SchemaField[] => [
  { name: 'after', label: 'After requests', type: 'number', hint: 'how many requests it lets pass first (optional)' },
  {
    name: 'when',
    label: 'When',
    type: 'json',
    hint:
      'only requests with these fields, such as {"currencyCode":"MXN"} (optional)' +
      (fields.length > 0 ? `; fields: ${fields.join(', ')}` : ''),
  },
];

const initial: Values = { times: '1', share: '20' };

const kindOf = ({ properties }: JsonSchema): string => String(properties?.['kind']?.const);

/** Returns the fields of a kind of fault. */
const faultFieldsOf = ({ properties = {}, required = [] }: JsonSchema): readonly SchemaField[] =>
  Object.entries(properties)
    // A function cannot be sent.
    .filter(([name]) => name !== 'kind' && name !== 'resolver')
    .flatMap(([name, schema]) => fieldsOf(`fault.${name}`, schema))
    .map((field) => {
      const name = field.name.replace('fault.', '');
      const isRequired = required.includes(name);
      const hint = `${properties[name]?.description ?? ''}${isRequired ? '' : ' (optional)'}`;
      return { ...field, required: isRequired, hint };
    });

/** Plans a fault of any kind, or a response. Its fields come from the schema of the API. */
export function FaultForm(): JSX.Element | null {
  const { data } = useControl<Schemas>('schemas');
  const [endpoint, setEndpoint] = useState('payments.create');
  const [kind, setKind] = useState('status');
  const [mode, setMode] = useState('next');
  const kinds = data?.fault.oneOf ?? data?.fault.anyOf ?? [];
  const schema = kinds.find((each) => kindOf(each) === kind);
  if (data === undefined || schema === undefined) return null;
  const faultFields = faultFieldsOf(schema);
  const target = data.endpoints.find(({ name }) => name === endpoint);
  const planFields = [...modeFields[mode as Mode], ...commonFieldsOf(target?.fields)];
  const plan = (values: Values): Promise<void> => {
    const planned = endpoint === '' ? values['path'] : endpoint;
    const { share: percent, ...options } = valuesOf(planFields, values);
    const rate = mode === 'rate' ? [Number(percent) / 100] : [];
    const fault = { kind, ...(Object(valuesOf(faultFields, values)['fault']) as object) };
    const done = `Planned ${kind} for ${planned === '*' ? 'all endpoints' : planned}.`;
    return change(`faults.${mode}`, [planned, ...rate, fault, options], done);
  };
  return (
    <Section title="Plan a fault or a response">
      <Form submit={`Plan ${kind === 'response' ? 'response' : 'fault'}`} onSubmit={plan}>
        <div class="form">
          <Select
            label="Endpoint"
            name="endpoint"
            value={endpoint}
            onChange={setEndpoint}
            options={[['*', 'All endpoints'], ...data.endpoints.map(({ name }) => name), ['', 'Another path']]}
          />
          {endpoint === '' && <Input label="Method and path" name="path" placeholder="GET /api/v1/reports" required />}
          <Select label="Kind" value={kind} onChange={setKind} options={kinds.map(kindOf)} />
          <Select label="Requests" value={mode} onChange={setMode} options={Object.entries(modes)} />
          <SchemaInputs key={kind} fields={faultFields} />
          <SchemaInputs fields={planFields} textOf={(name) => initial[name] ?? ''} />
        </div>
        <p class="muted">{effects[kind]}</p>
      </Form>
    </Section>
  );
}
