import type { JSX } from 'preact';
import type { OrganizationSummary } from '../../../mock/control/calls.js';
import { Button, CopyButton, TextForm } from '../../components/controls.js';
import { Screen, Section, Table } from '../../components/layout.js';
import { readSnapshot, restoreSnapshot } from '../../control/call.js';
import { attempt } from '../../control/notices.js';
import { change, perform, useControl } from '../../control/use-control.js';
import { CredentialButtons } from './credentials.js';

/** Organizations, scenarios, snapshots and resets. */
export function StateScreen(): JSX.Element {
  const { data: scenarios } =
    useControl<readonly { readonly name: string; readonly description: string }[]>('scenarios.list');
  return (
    <Screen title="State">
      <Section title="Scenarios" count={scenarios?.length}>
        <Table
          columns={['Name', 'Content', '']}
          rows={scenarios?.map(({ name, description }) => [
            <code>{name}</code>,
            <span class="muted">{description}</span>,
            <Button label={`Load ${name}`} onClick={() => change('scenarios.load', [name], `Loaded ${name}.`)}>
              Load
            </Button>,
          ])}
        />
      </Section>
      <Records />
      <Organizations />
    </Screen>
  );
}

function Organizations(): JSX.Element {
  const { data = [] } = useControl<readonly OrganizationSummary[]>('organizations');
  return (
    <Section title="Organizations" count={data.length}>
      <Table
        columns={['Name', 'Id', '']}
        rows={data.map((organization) => [
          <strong>{organization.name}</strong>,
          <span class="mono">{organization.id}</span>,
          <>
            <CopyButton text={organization.apiKey} label={`Copy the API key of ${organization.name}`}>
              API key
            </CopyButton>
            <CredentialButtons organization={organization} />
          </>,
        ])}
      />
      <TextForm
        label="Name of the organization"
        placeholder="Name (optional)"
        submit="Add organization"
        onSubmit={(name) => change('organization', [name === '' ? {} : { name }], 'Added an organization.')}
      />
    </Section>
  );
}

async function downloadSnapshot(): Promise<void> {
  const url = URL.createObjectURL(await readSnapshot());
  const link = Object.assign(document.createElement('a'), { href: url, download: 'corridor-mock.snapshot.jsonl' });
  link.click();
  URL.revokeObjectURL(url);
}

async function restore(input: HTMLInputElement): Promise<void> {
  const [file] = input.files ?? [];
  if (file === undefined) return;
  await attempt(() => perform(() => restoreSnapshot(file), `Restored ${file.name}.`));
  // The same file can be selected again.
  input.value = '';
}

function Records(): JSX.Element {
  return (
    <Section title="Records">
      <Table
        columns={['Effect', '']}
        rows={[
          [
            'Add a few hundred realistic records of every kind and status.',
            <Button onClick={() => change('populate', [], 'Added a few hundred records.')}>
              Populate the organization
            </Button>,
          ],
          [
            'Keep the records, faults, clock and behavior of all organizations; no keys and no requests.',
            <>
              <Button onClick={downloadSnapshot}>Download a snapshot</Button>
              <label class="button">
                Restore a snapshot
                <input
                  type="file"
                  class="visually-hidden"
                  accept=".jsonl"
                  onChange={({ currentTarget }) => void restore(currentTarget)}
                />
              </label>
            </>,
          ],
          [
            'Remove records. Organizations keep their credentials.',
            <>
              <Button
                kind="danger"
                question="Remove the records of this organization?"
                onClick={() => change('reset', [], 'Reset the organization.')}
              >
                Reset this organization
              </Button>
              <Button
                kind="danger"
                question="Remove all records of all organizations?"
                onClick={() => change('resetAll', [], 'Reset the platform.')}
              >
                Reset the platform
              </Button>
            </>,
          ],
        ]}
      />
    </Section>
  );
}
