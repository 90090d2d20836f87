import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toneStyle } from '../../components/badge.js';
import { Button, CountSelect, Select } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import { ListScreen, type Column } from '../../components/list-screen.js';
import type { FoundRequests, OrganizationSummary, RequestSummary } from '../../control/record-types.js';
import { useControl, useSearch } from '../../control/use-control.js';
import { formatDuration, pluralize } from '../../format/text.js';
import { changeQuery, linkTo, navigate, useRoute } from '../../control/router.js';
import { CredentialButtons } from '../platform/credentials.js';
import { RequestPanel } from './details.js';
import { HttpStatus, Outcome, TimeAndDate } from './outcome.js';

const lineOf = ({ method, path }: RequestSummary): string => `${method} ${path}`;

const columns: readonly Column<RequestSummary>[] = [
  {
    title: 'Endpoint',
    width: 110,
    grow: 8,
    cell: (request) => (
      <>
        {request.endpoint ?? 'No endpoint'} <small class="mono">{lineOf(request)}</small>
      </>
    ),
  },
  { title: 'Status', width: 58, cell: ({ status }) => <HttpStatus status={status} /> },
  {
    title: 'Time',
    width: 92,
    class: 'mono',
    cell: ({ receivedAt }) => <TimeAndDate at={receivedAt} />,
  },
  { title: 'Fault, error', width: 146, grow: 1, cell: Outcome },
  {
    title: 'Duration',
    width: 84,
    spare: 150,
    class: 'number',
    cell: ({ duration }) => formatDuration(duration),
  },
];

/** The number of requests that are read at once. */
const pageSize = 200;

/** The filters with the values of requests, and their names. */
const valueFilters = [
  ['endpoint', 'Endpoint', 'All endpoints'],
  ['status', 'Status', 'All statuses'],
  ['error', 'Error', 'All errors'],
  ['fault', 'Fault', 'All faults'],
] as const;

const timeRanges = [
  ['', 'Any time'],
  ['60', 'Last minute'],
  ['600', 'Last 10 minutes'],
  ['3600', 'Last hour'],
] as const;

/** The requests that the platform received, newest first. The server filters, sorts and counts them. */
export function RequestsScreen(): JSX.Element {
  const { id, query, organization } = useRoute();
  const { seconds, ...search } = query;
  const { data, error, onMore } = useSearch<FoundRequests>(
    'requests.search',
    { ...search, organization, ...(seconds !== undefined && { seconds: Number(seconds) }) },
    pageSize,
  );
  const [pause, setPause] = useState<FoundRequests | undefined>(undefined);
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations');
  // A log that starts again ends a pause.
  const paused = pause?.generation === data?.generation ? pause : undefined;
  const shown = paused ?? data;
  const names = Object.fromEntries(organizations.map((each) => [each.id, each.name]));
  const nameOf = (of: string | null): string => names[of ?? ''] ?? of ?? 'unknown';
  const organizationColumn: Column<RequestSummary> = {
    title: 'Organization',
    width: 110,
    spare: 180,
    grow: 1,
    cell: (request) => nameOf(request.organization),
  };
  return (
    <ListScreen
      name="requests"
      title="Requests"
      noun={['request', 'requests']}
      columns={organization === undefined ? [...columns, organizationColumn] : columns}
      rows={shown?.records}
      error={error}
      count={shown?.count}
      total={shown?.total}
      keyOf={({ requestId }) => requestId}
      onMore={onMore}
      placeholder="Filter by path, id, message or body ( / )"
      actions={
        <Button pressed={paused !== undefined} onClick={() => setPause(paused === undefined ? data : undefined)}>
          {paused === undefined ? 'Pause' : `Resume (${(data?.sequence ?? 0) - paused.sequence} new)`}
        </Button>
      }
      above={
        data !== undefined &&
        data.dropped > 0 && (
          <p class="banner" style={toneStyle('warn')} role="status">
            The log of the server was full: it dropped {pluralize(data.dropped, 'earlier request')}.
          </p>
        )
      }
      filters={
        <>
          {valueFilters.map(([name, label, all]) => (
            <CountSelect key={name} name={name} label={label} all={all} counts={shown?.values[name]} />
          ))}
          <Select
            label="Time range"
            hideLabel
            value={seconds ?? ''}
            onChange={(next) => changeQuery({ seconds: next })}
            options={timeRanges}
          />
        </>
      }
      empty={<FirstRun organization={organizations.find((each) => each.id === organization) ?? organizations[0]} />}
    >
      {id !== undefined && (
        <RequestPanel
          key={id}
          requestId={id}
          nameOf={nameOf}
          firstOrganization={organizations[0]?.id}
          onClose={() => navigate('requests', undefined, query)}
        />
      )}
    </ListScreen>
  );
}

/** What to do before the first request. */
function FirstRun({ organization }: { readonly organization: OrganizationSummary | undefined }): JSX.Element {
  return (
    <Section title="No requests yet.">
      <div class="section-body column">
        <p>Send the first request with the credentials of {organization?.name ?? 'the organization'}. Copy:</p>
        <div class="actions">{organization && <CredentialButtons organization={organization} />}</div>
        <p class="muted">
          <code>.env</code> is for the command line and for your program, <code>curl</code> runs in a terminal as it is,
          and <code>TypeScript</code> creates a client. Other organizations are under{' '}
          <a href={linkTo('state')}>State</a>.
        </p>
      </div>
    </Section>
  );
}
