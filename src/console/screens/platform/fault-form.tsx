import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Input, Select } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import { notify } from '../../control/notices.js';
import type { Schemas } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';
import { faultKindsOf, faultOf } from './fault-kinds.js';

/** Plans a fault of any kind. Its fields come from the schema of the API. */
export function FaultForm(): JSX.Element | null {
  const { data } = useControl<Schemas>('schemas', [], 'platform');
  const [endpoint, setEndpoint] = useState('payments.create');
  const [kindName, setKindName] = useState('status');
  const [mode, setMode] = useState('next');
  const [amount, setAmount] = useState('1');
  const [seconds, setSeconds] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  if (data === undefined) return null;
  const kinds = faultKindsOf(data.fault);
  const kind = kinds.find((each) => each.kind === kindName) ?? kinds[0];
  if (kind === undefined) return null;
  const plan = async (): Promise<void> => {
    try {
      const fault = faultOf(kind, values);
      const number = Number(amount);
      const done = `Planned ${kind.kind} for ${endpoint === '*' ? 'all endpoints' : endpoint}.`;
      const options = seconds.trim() === '' ? {} : { duration: { seconds: Number(seconds) } };
      if (mode === 'next') await change('faults.next', [endpoint, fault, number], done);
      else if (mode === 'always') await change('faults.always', [endpoint, fault, options], done);
      else await change('faults.rate', [endpoint, number / 100, fault, options], done);
    } catch (error) {
      notify('failure', (error as Error).message);
    }
  };
  return (
    <Section title="Plan a fault">
      <form
        class="section-body column"
        onSubmit={(event) => {
          event.preventDefault();
          void plan();
        }}
      >
        <div class="form">
          <Select
            label="Endpoint"
            value={endpoint}
            onChange={setEndpoint}
            options={[['*', 'All endpoints'], ...data.endpoints.map(({ name }) => name)]}
          />
          <Select
            label="Kind"
            value={kind.kind}
            onChange={(next) => {
              setKindName(next);
              setValues({});
            }}
            options={kinds.map((each) => each.kind)}
          />
          <Select
            label="Requests"
            value={mode}
            onChange={(next) => {
              setMode(next);
              setAmount(next === 'rate' ? '20' : '1');
            }}
            options={[
              ['next', 'The next requests'],
              ['always', 'Every request'],
              ['rate', 'A share of requests'],
            ]}
          />
          {mode !== 'always' && (
            <Input
              label={mode === 'next' ? 'Number of requests' : 'Share in percent'}
              type="number"
              value={amount}
              onInput={setAmount}
              required
            />
          )}
          {mode !== 'next' && (
            <Input
              label="Duration in seconds"
              type="number"
              hint="on the mock's clock (optional)"
              value={seconds}
              onInput={setSeconds}
            />
          )}
          {kind.fields.map((field) => (
            <Input
              key={`${kind.kind} ${field.name}`}
              label={field.name}
              type={field.isNumber ? 'number' : 'text'}
              hint={field.hint}
              required={field.required}
              value={values[field.name] ?? ''}
              onInput={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </div>
        <p class="muted">{kind.effect}</p>
        <div class="actions">
          <Button kind="primary" type="submit">
            Plan fault
          </Button>
        </div>
      </form>
    </Section>
  );
}
