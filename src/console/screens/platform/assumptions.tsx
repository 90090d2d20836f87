import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Input, Select } from '../../components/controls.js';
import { Pending } from '../../components/layout.js';
import { notify } from '../../control/notices.js';
import type { JsonSchema, MockAssumption, Schemas } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';

/** The rows of docs/assumptions.md by their ids, which the build inserts. */
declare const ASSUMPTION_ROWS: Readonly<Record<string, readonly string[]>>;

/** What the specification does not show, with the switches of the mock. */
export function AssumptionsScreen(): JSX.Element {
  const { data, error } = useControl<readonly MockAssumption[]>('assumptions', [], 'platform');
  const { data: schemas } = useControl<Schemas>('schemas', [], 'platform');
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Assumptions</h1>
        <p>
          The questions that the platform's specification leaves open, and how the mock behaves. Select an id to read
          its row of docs/assumptions.md. A reset restores the options that the server was started with.
        </p>
      </div>
      {data === undefined ? (
        <Pending error={error} />
      ) : (
        <div class="section">
          {data.map((assumption, index) => (
            <AssumptionRow
              key={index}
              assumption={assumption}
              schema={schemas?.behavior.properties?.[assumption.option ?? '']}
            />
          ))}
        </div>
      )}
    </div>
  );
}

interface AssumptionProps {
  readonly assumption: MockAssumption;
  readonly schema: JsonSchema | undefined;
}

function AssumptionRow({ assumption, schema }: AssumptionProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [assumed = '', override = '', mock = ''] = ASSUMPTION_ROWS[assumption.id] ?? [];
  return (
    <div class="switch-row">
      <button
        type="button"
        class="button quiet mono"
        aria-expanded={isOpen}
        aria-label={`${assumption.id}, the row of the table of assumptions`}
        onClick={() => setOpen(!isOpen)}
      >
        {assumption.id}
      </button>
      <span>{assumption.question.replaceAll('`', '')}</span>
      <Switch assumption={assumption} schema={schema} />
      {isOpen && (
        <dl class="row-text">
          <dt>Assumed by the client</dt>
          <dd>{assumed}</dd>
          <dt>Override</dt>
          <dd>{override}</dd>
          <dt>Mock</dt>
          <dd>{mock}</dd>
        </dl>
      )}
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function Switch({ assumption: { question, option, value }, schema }: AssumptionProps): JSX.Element {
  // The final statuses are a list, which follows from the table of transitions.
  const isDerived = schema?.type === 'object' && Array.isArray(value);
  if (option === undefined || schema === undefined || isDerived) return <span class="muted">{textOf(value)}</span>;
  const apply = (next: unknown): Promise<boolean> =>
    change('configure', [{ [option]: next }], `${option} is now ${textOf(next ?? 'the default')}.`, 'platform');
  if (schema.enum !== undefined)
    return <Select label={question} hideLabel value={textOf(value)} options={schema.enum} onChange={apply} />;
  return <ValueForm option={option} value={value} schema={schema} apply={apply} />;
}

interface ValueFormProps {
  readonly option: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly apply: (value: unknown) => Promise<boolean>;
}

/** A field for a number or for JSON. An empty field restores the default. */
function ValueForm({ option, value, schema, apply }: ValueFormProps): JSX.Element {
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  const current = isNumber
    ? (/^[\d.]+/.exec(textOf(value))?.[0] ?? '')
    : typeof value === 'string'
      ? ''
      : textOf(value);
  const [text, setText] = useState<string | undefined>(undefined);
  const submit = async (): Promise<void> => {
    try {
      const next = (text ?? current).trim();
      const done = await apply(next === '' ? null : (JSON.parse(next) as unknown));
      if (done) setText(undefined);
    } catch {
      notify('failure', `${option} must be JSON. ${schema.description ?? ''}`);
    }
  };
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Input
        label={option}
        hideLabel
        type={isNumber ? 'number' : 'text'}
        placeholder="the default"
        value={text ?? current}
        onInput={setText}
      />
      <Button type="submit" disabled={text === undefined || text === current}>
        Apply
      </Button>
    </form>
  );
}
