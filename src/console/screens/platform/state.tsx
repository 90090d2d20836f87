import type { JSX } from 'preact';
import { Button, CopyButton, Form, Input, Search, type Values } from '../../components/controls.js';
import { Screen, Section } from '../../components/layout.js';
import { readSnapshot, restoreSnapshot } from '../../control/call.js';
import { reportChange } from '../../control/connection.js';
import { attempt, notify } from '../../control/notices.js';
import type { OrganizationSummary } from '../../control/record-types.js';
import { useRoute } from '../../control/router.js';
import { change, useControl } from '../../control/use-control.js';
import { CredentialButtons } from './credentials.js';

interface Scenario {
  readonly name: string;
  readonly description: string;
}

/** Organizations, scenarios, snapshots and resets. */
export function StateScreen(): JSX.Element {
  return (
    <Screen title="State">
      <Organizations />
      <Scenarios />
      <Records />
    </Screen>
  );
}

/** The most organizations that are shown at once; the others are found by a search. */
const maxOrganizations = 20;

function Organizations(): JSX.Element {
  const { data = [] } = useControl<readonly OrganizationSummary[]>('organizations');
  const { text = '' } = useRoute().query;
  const shown = data.filter((each) => Object.values(each).join(' ').toLowerCase().includes(text.toLowerCase()));
  const add = ({ name }: Values): Promise<void> =>
    change('organization', [name === '' ? {} : { name }], 'Added an organization.');
  return (
    <Section title="Organizations" count={data.length}>
      {data.length > maxOrganizations && (
        <div class="section-body" role="search">
          <Search label="Search organizations" placeholder="Search by name, id or API key ( / )" />
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
      <Form key={data.length} isInline submit="Add organization" onSubmit={add}>
        <Input label="Name of the organization" hideLabel name="name" placeholder="Name (optional)" />
      </Form>
    </Section>
  );
}

function Scenarios(): JSX.Element {
  const { data = [] } = useControl<readonly Scenario[]>('scenarios.list');
  return (
    <Section title="Scenarios" count={data.length}>
      <ul class="rows">
        {data.map(({ name, description }) => (
          <li key={name}>
            <span class="grow">
              <strong>{name}</strong> <span class="muted">{description}</span>
            </span>
            <Button label={`Load ${name}`} onClick={() => change('scenarios.load', [name], `Loaded ${name}.`)}>
              Load
            </Button>
          </li>
        ))}
      </ul>
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
  await attempt(async () => {
    await restoreSnapshot(file);
    notify('success', `Restored ${file.name}.`);
  });
  // The same file can be selected again.
  input.value = '';
  reportChange();
}

function Records(): JSX.Element {
  return (
    <Section title="Records">
      <ul class="rows">
        <li>
          <span class="grow muted">Add a few hundred realistic records of every kind and status.</span>
          <Button onClick={() => change('populate', [], 'Added a few hundred records.')}>
            Populate the organization
          </Button>
        </li>
        <li>
          <span class="grow muted">
            Keep the records, faults, clock and behavior of all organizations; no keys and no requests.
          </span>
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
        </li>
        <li>
          <span class="grow muted">Remove records. Organizations keep their credentials.</span>
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
        </li>
      </ul>
    </Section>
  );
}
