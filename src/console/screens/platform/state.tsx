import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, ConfirmButton, CopyButton, Input } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import type { OrganizationSummary } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';
import { CredentialButtons } from './credentials.js';

interface Scenario {
  readonly name: string;
  readonly description: string;
}

/** Organizations, scenarios and resets. */
export function StateScreen(): JSX.Element {
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>State</h1>
      </div>
      <Organizations />
      <Scenarios />
      <Populate />
      <Resets />
    </div>
  );
}

function Organizations(): JSX.Element {
  const { data = [] } = useControl<readonly OrganizationSummary[]>('organizations', [], 'platform');
  const [name, setName] = useState('');
  const add = (): Promise<boolean> =>
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
      <form
        class="toolbar section-body"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await add()) setName('');
        }}
      >
        <div class="grow">
          <Input
            label="Name of the organization"
            hideLabel
            placeholder="Name (optional)"
            value={name}
            onInput={setName}
          />
        </div>
        <Button type="submit">Add organization</Button>
      </form>
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
          answer="Yes, reset"
          question="Remove the records of this organization?"
          onConfirm={() => change('reset', [], 'Reset the organization.')}
        >
          Reset this organization
        </ConfirmButton>
        <ConfirmButton
          answer="Yes, reset"
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
