import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Form, Input, Select } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import type { Schemas } from '../../control/records.js';
import { submit, useControl } from '../../control/use-control.js';
import { faultKindsOf, faultOf, parseJson } from './fault-kinds.js';

const modes = { next: 'The next requests', always: 'Every request', rate: 'A share of requests' } as const;
type Mode = keyof typeof modes;

const initial = { times: '1', share: '20', duration: '', after: '', when: '', path: '' };

/** Plans a fault of any kind, or a response. Its fields come from the schema of the API. */
export function FaultForm(): JSX.Element | null {
  const { data } = useControl<Schemas>('schemas', [], 'platform');
  const [endpoint, setEndpoint] = useState('payments.create');
  const [kindName, setKindName] = useState('status');
  const [mode, setMode] = useState<Mode>('next');
  const [values, setValues] = useState<Readonly<Record<string, string>>>(initial);
  if (data === undefined) return null;
  const kinds = faultKindsOf(data.fault);
  const kind = kinds.find((each) => each.kind === kindName) ?? kinds[0];
  if (kind === undefined) return null;
  const valueOf = (name: string): string => values[name]?.trim() ?? '';
  const field = (name: string): Pick<Parameters<typeof Input>[0], 'name' | 'value' | 'onInput'> => ({
    name,
    value: values[name] ?? '',
    onInput: (value) => setValues({ ...values, [name]: value }),
  });
  const plan = async (): Promise<string | undefined> => {
    try {
      const fault = faultOf(kind, values);
      const options = {
        ...(valueOf('when') !== '' && { when: parseJson('when', valueOf('when')) }),
        ...(valueOf('after') !== '' && { after: Number(valueOf('after')) }),
        ...(mode === 'next' && { times: Number(valueOf('times')) }),
        ...(mode !== 'next' && valueOf('duration') !== '' && { duration: { seconds: Number(valueOf('duration')) } }),
      };
      const target = endpoint === '' ? valueOf('path') : endpoint;
      const args = [target, ...(mode === 'rate' ? [Number(valueOf('share')) / 100] : []), fault, options];
      const done = `Planned ${kind.kind} for ${target === '*' ? 'all endpoints' : target}.`;
      return await submit(`faults.${mode}`, args, done);
    } catch (error) {
      return (error as Error).message;
    }
  };
  return (
    <Section title="Plan a fault or a response">
      <Form
        onSubmit={plan}
        fields={['times', 'duration', 'after', 'when', 'endpoint', ...kind.fields.map(({ name }) => name)]}
      >
        <div class="form">
          <Select
            label="Endpoint"
            value={endpoint}
            onChange={setEndpoint}
            options={[['*', 'All endpoints'], ...data.endpoints.map(({ name }) => name), ['', 'Another path']]}
          />
          {endpoint === '' && (
            <Input label="Method and path" placeholder="GET /api/v1/reports" required {...field('path')} />
          )}
          <Select
            label="Kind"
            value={kind.kind}
            onChange={(next) => {
              setKindName(next);
              setValues(initial);
            }}
            options={kinds.map((each) => each.kind)}
          />
          <Select
            label="Requests"
            value={mode}
            onChange={(next) => setMode(next as Mode)}
            options={Object.entries(modes)}
          />
          {mode === 'next' && <Input label="Number of requests" type="number" required {...field('times')} />}
          {mode === 'rate' && <Input label="Share in percent" type="number" required {...field('share')} />}
          {mode !== 'next' && (
            <Input
              label="Duration in seconds"
              type="number"
              hint="on the mock's clock (optional)"
              {...field('duration')}
            />
          )}
          {kind.fields.map(({ name, isNumber, hint, required }) => (
            <Input
              key={`${kind.kind} ${name}`}
              label={name}
              type={isNumber ? 'number' : 'text'}
              hint={hint}
              required={required}
              {...field(name)}
            />
          ))}
          <Input
            label="After requests"
            type="number"
            hint="how many requests it lets pass first (optional)"
            {...field('after')}
          />
          <Input
            label="When"
            hint={`only requests with these fields, such as {"currencyCode":"MXN"} (optional)`}
            {...field('when')}
          />
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
