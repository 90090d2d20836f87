import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, CopyButton, Input } from '../../components/controls.js';
import { Empty, Section } from '../../components/layout.js';
import type { Organization } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';
import { formatTime } from '../../format/text.js';
import { CredentialButtons } from './credentials.js';

interface Scenario {
  readonly name: string;
  readonly description: string;
}

/** Organizations, scenarios, snapshots and resets. */
export function StateScreen(): JSX.Element {
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>State</h1>
      </div>
      <Organizations />
      <Scenarios />
      <Snapshots />
      <Populate />
      <Resets />
    </div>
  );
}

function Organizations(): JSX.Element {
  const { data = [] } = useControl<readonly Organization[]>('organizations', [], 'platform');
  const add = (name: string): Promise<boolean> =>
    change('organization', [name === '' ? {} : { name }], 'Added an organization.', 'platform');
  return (
    <Section title="Organizations" count={data.length}>
      <ul class="rows">
        {data.map((organization) => (
          <li key={organization.id}>
            <span class="grow">
              <strong>{organization.name}</strong> <span class="mono muted">{organization.id}</span>
            </span>
            <div class="actions">
              <CopyButton text={organization.apiKey} label={`Copy the API key of ${organization.name}`}>
                API key
              </CopyButton>
              <CredentialButtons organization={organization} />
            </div>
          </li>
        ))}
      </ul>
      <NameForm
        label="Name of the organization"
        placeholder="Name (optional)"
        submit="Add organization"
        onSubmit={add}
      />
    </Section>
  );
}

function Scenarios(): JSX.Element {
  const { data = [] } = useControl<readonly Scenario[]>('scenarios.list', [], 'platform');
  return (
    <Section title="Scenarios" count={data.length}>
      <ul class="rows">
        {data.map(({ name, description }) => (
          <li key={name}>
            <span class="grow">
              <strong>{name}</strong> <span class="muted">{description}</span>
            </span>
            <Button
              label={`Load ${name}`}
              onClick={() => change('scenarios.load', [name], `Loaded ${name}.`, 'platform')}
            >
              Load
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Snapshots(): JSX.Element {
  const { data = [] } = useControl<readonly { readonly name: string; readonly at: string }[]>(
    'snapshots.list',
    [],
    'platform',
  );
  const save = (name: string): Promise<boolean> => change('snapshots.save', [name], `Saved ${name}.`, 'platform');
  return (
    <Section title="Snapshots" count={data.length}>
      {data.length === 0 && <Empty>No snapshots. The server keeps them in memory until it stops.</Empty>}
      <ul class="rows">
        {data.map((snapshot) => (
          <li key={snapshot.name}>
            <strong class="grow">{snapshot.name}</strong>
            <time class="mono muted">{formatTime(snapshot.at)}</time>
            <div class="actions">
              <Button
                label={`Restore ${snapshot.name}`}
                onClick={() => change('snapshots.load', [snapshot.name], `Restored ${snapshot.name}.`, 'platform')}
              >
                Restore
              </Button>
              <Button
                kind="quiet"
                label={`Remove ${snapshot.name}`}
                onClick={() => change('snapshots.remove', [snapshot.name], `Removed ${snapshot.name}.`, 'platform')}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <NameForm label="Name of the snapshot" submit="Save snapshot" onSubmit={save} required />
    </Section>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly submit: string;
  /** Returns whether the change was made. */
  readonly onSubmit: (name: string) => Promise<boolean>;
}

/** A form for a name, which is cleared once the change was made. */
function NameForm({ label, placeholder = label, required = false, submit, onSubmit }: NameFormProps): JSX.Element {
  const [name, setName] = useState('');
  return (
    <form
      class="toolbar section-body"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await onSubmit(name)) setName('');
      }}
    >
      <div class="grow">
        <Input label={label} hideLabel placeholder={placeholder} value={name} onInput={setName} required={required} />
      </div>
      <Button type="submit">{submit}</Button>
    </form>
  );
}

function Populate(): JSX.Element {
  return (
    <Section title="Records">
      <div class="section-body toolbar">
        <Button onClick={() => change('populate', [], 'Added a few hundred records.')}>
          Populate the organization
        </Button>
        <span class="muted">Adds a few hundred realistic records of every kind and status.</span>
      </div>
    </Section>
  );
}

function Resets(): JSX.Element {
  return (
    <Section title="Reset">
      <div class="section-body toolbar">
        <ConfirmButton
          question="Remove the records of this organization?"
          onConfirm={() => change('reset', [], 'Reset the organization.')}
        >
          Reset this organization
        </ConfirmButton>
        <ConfirmButton
          question="Remove all records of all organizations?"
          onConfirm={() => change('resetAll', [], 'Reset the platform.', 'platform')}
        >
          Reset the platform
        </ConfirmButton>
        <span class="muted">Organizations keep their credentials.</span>
      </div>
    </Section>
  );
}

function ConfirmButton({
  question,
  onConfirm,
  children,
}: {
  readonly question: string;
  readonly onConfirm: () => Promise<boolean>;
  readonly children: string;
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button kind="danger" onClick={() => setAsking(true)}>
        {children}
      </Button>
    );
  return (
    <span class="actions" role="group" aria-label={question}>
      <span>{question}</span>
      <Button
        kind="danger"
        onClick={async () => {
          setAsking(false);
          await onConfirm();
        }}
      >
        Yes, reset
      </Button>
      <Button onClick={() => setAsking(false)}>No</Button>
    </span>
  );
}
