import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Form, Input, Select } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import type { Schemas } from '../../control/records.js';
import { submit, useControl } from '../../control/use-control.js';
import { faultKindsOf, valuesOf, type FaultField } from './fault-kinds.js';

const modes = { next: 'The next requests', always: 'Every request', rate: 'A share of requests' } as const;
type Mode = keyof typeof modes;

/** The fields of any fault. */
const planFields: readonly (FaultField & { readonly label: string; readonly modes?: readonly Mode[] })[] = [
  { name: 'times', label: 'Number of requests', type: 'number', required: true, modes: ['next'] },
  { name: 'share', label: 'Share in percent', type: 'number', required: true, modes: ['rate'] },
  {
    name: 'duration',
    label: 'Duration in seconds',
    type: 'number',
    hint: "on the mock's clock (optional)",
    modes: ['always', 'rate'],
  },
  { name: 'after', label: 'After requests', type: 'number', hint: 'how many requests it lets pass first (optional)' },
  {
    name: 'when',
    label: 'When',
    type: 'json',
    hint: `only requests with these fields, such as {"currencyCode":"MXN"} (optional)`,
  },
];

const initial = { times: '1', share: '20' };

/** Plans a fault of any kind, or a response. Its fields come from the schema of the API. */
export function FaultForm(): JSX.Element | null {
  const { data } = useControl<Schemas>('schemas', [], 'platform');
  const [endpoint, setEndpoint] = useState('payments.create');
  const [path, setPath] = useState('');
  const [kindName, setKindName] = useState('status');
  const [mode, setMode] = useState<Mode>('next');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(initial);
  const kinds = data === undefined ? [] : faultKindsOf(data.fault);
  const kind = kinds.find((each) => each.kind === kindName);
  if (data === undefined || kind === undefined) return null;
  const shown = planFields.filter((field) => field.modes?.includes(mode) !== false);
  const fields = [...kind.fields.map((field) => ({ ...field, label: field.name })), ...shown];
  const plan = async (): Promise<string | undefined> => {
    try {
      const { share, duration, ...options } = valuesOf(shown, texts);
      const target = endpoint === '' ? path : endpoint;
      const rate = mode === 'rate' ? [Number(share) / 100] : [];
      const seconds = duration === undefined ? {} : { duration: { seconds: duration } };
      const fault = { kind: kind.kind, ...valuesOf(kind.fields, texts) };
      const done = `Planned ${kind.kind} for ${target === '*' ? 'all endpoints' : target}.`;
      return await submit(`faults.${mode}`, [target, ...rate, fault, { ...options, ...seconds }], done);
    } catch (error) {
      return (error as Error).message;
    }
  };
  return (
    <Section title="Plan a fault or a response">
      <Form onSubmit={plan} fields={['endpoint', ...fields.map(({ name }) => name)]}>
        <div class="form">
          <Select
            label="Endpoint"
            value={endpoint}
            onChange={setEndpoint}
            options={[['*', 'All endpoints'], ...data.endpoints.map(({ name }) => name), ['', 'Another path']]}
          />
          {endpoint === '' && (
            <Input label="Method and path" placeholder="GET /api/v1/reports" required value={path} onInput={setPath} />
          )}
          <Select
            label="Kind"
            value={kind.kind}
            onChange={(next) => {
              setKindName(next);
              setTexts(initial);
            }}
            options={kinds.map((each) => each.kind)}
          />
          <Select
            label="Requests"
            value={mode}
            onChange={(next) => setMode(next as Mode)}
            options={Object.entries(modes)}
          />
          {fields.map(({ name, label, type, hint, required = false }) => (
            <Input
              key={`${kind.kind} ${name}`}
              name={name}
              label={label}
              type={type === 'number' ? 'number' : 'text'}
              hint={hint}
              required={required}
              value={texts[name] ?? ''}
              onInput={(text) => setTexts({ ...texts, [name]: text })}
            />
          ))}
        </div>
        <p class="muted">{kind.effect}</p>
        <div class="actions">
          <Button kind="primary" type="submit">
            Plan {kind.kind === 'response' ? 'response' : 'fault'}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
