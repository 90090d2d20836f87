import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, ConfirmButton, CopyButton, Form, Input } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import { readSnapshot, restoreSnapshot } from '../../control/call.js';
import { reportChange } from '../../control/connection.js';
import { notify } from '../../control/notices.js';
import type { OrganizationSummary } from '../../control/records.js';
import { change, submit, useControl } from '../../control/use-control.js';
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
      <Populate />
      <Snapshots />
      <Resets />
    </div>
  );
}

/** The most organizations that are shown at once; the others are found by a search. */
const maxOrganizations = 20;

function Organizations(): JSX.Element {
  const { data = [] } = useControl<readonly OrganizationSummary[]>('organizations', [], 'platform');
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const shown = data.filter((each) => Object.values(each).join(' ').toLowerCase().includes(text.toLowerCase()));
  const add = async (): Promise<string | undefined> => {
    const error = await submit('organization', [name === '' ? {} : { name }], 'Added an organization.', 'platform');
    if (error === undefined) setName('');
    return error;
  };
  return (
    <Section title="Organizations" count={data.length}>
      {data.length > maxOrganizations && (
        <div class="section-body" role="search">
          <Input
            label="Search organizations"
            hideLabel
            placeholder="Search by name, id or API key ( / )"
            value={text}
            onInput={setText}
          />
        </div>
      )}
      <ul class="rows">
        {shown.slice(0, maxOrganizations).map((organization) => (
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
        {shown.length > maxOrganizations && <li class="muted">and {shown.length - maxOrganizations} more</li>}
      </ul>
      <Form kind="toolbar section-body" onSubmit={add}>
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
      </Form>
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

function Snapshots(): JSX.Element {
  const download = async (): Promise<void> => {
    try {
      const url = URL.createObjectURL(await readSnapshot());
      const link = Object.assign(document.createElement('a'), { href: url, download: 'corridor-mock.snapshot.jsonl' });
      link.click();
      URL.revokeObjectURL(url);
    } catch (error) {
      notify('failure', (error as Error).message);
    }
  };
  const restore = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    try {
      await restoreSnapshot(file);
      notify('success', `Restored ${file.name}.`);
    } catch (error) {
      notify('failure', (error as Error).message);
    }
    // The same file can be selected again.
    input.value = '';
    reportChange();
  };
  return (
    <Section title="Snapshot">
      <div class="section-body toolbar">
        <Button onClick={download}>Download a snapshot</Button>
        <label class="button">
          Restore a snapshot
          <input
            type="file"
            class="visually-hidden"
            accept=".jsonl"
            onChange={({ currentTarget }) => void restore(currentTarget)}
          />
        </label>
        <span class="muted">Records, faults, clock and behavior of all organizations; no keys and no requests.</span>
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
