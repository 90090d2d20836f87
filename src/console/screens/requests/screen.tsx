import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toneStyle } from '../../components/badge.js';
import { Button, CountSelect, Picker, Search, Select } from '../../components/controls.js';
import { Icon } from '../../components/icons.js';
import { Empty, Screen, Section } from '../../components/layout.js';
import { MasterDetail, type Column } from '../../components/master-detail.js';
import type { FoundRequests, OrganizationSummary, RequestSummary } from '../../control/records.js';
import { useControl, useLast } from '../../control/use-control.js';
import { formatCount, formatDuration, formatTimeOfDay, pluralize } from '../../format/text.js';
import { changeQuery, linkTo, navigate, useRoute, type Query } from '../../control/router.js';
import { CredentialButtons } from '../platform/credentials.js';
import { RequestPanel } from './details.js';
import { HttpStatus, Outcome } from './outcome.js';

const columns: readonly Column[] = [
  { title: 'Status', width: '62px', sort: 'status' },
  { title: 'Endpoint', width: 'minmax(100px, 3fr)', sort: 'endpoint' },
  { title: 'Path', width: 'minmax(120px, 3fr)', from: 760, sort: 'path' },
  { title: 'Fault, error', width: 'minmax(146px, 2fr)', from: 520, sort: 'error.code' },
  { title: 'Organization', width: 'minmax(90px, 1fr)', from: 900, sort: 'organization' },
  { title: 'Duration', width: '84px', from: 620, isNumber: true, sort: 'duration' },
  { title: 'Time', width: '92px', isNumber: true, sort: 'receivedAt' },
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

const filterNames = ['text', 'of', 'seconds', 'endpoint', 'status', 'error', 'fault'] as const;

/** The requests that the platform received, newest first. The server filters, sorts and counts them. */
export function RequestsScreen(): JSX.Element {
  const { id, query } = useRoute();
  const [limit, setLimit] = useState(pageSize);
  const [pause, setPause] = useState<FoundRequests | undefined>(undefined);
  const { of: organization, seconds, text, endpoint, status, error: code, fault, sort } = query;
  const search = { text, organization, endpoint, status, error: code, fault, sort, limit };
  const found = useControl<FoundRequests>(
    'requests.search',
    [{ ...search, ...(seconds !== undefined && { seconds: Number(seconds) }) }],
    'platform',
  );
  const data = useLast(found);
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations', [], 'platform');
  // A log that starts again ends a pause.
  const paused = pause?.generation === data?.generation ? pause : undefined;
  const shown = paused ?? data;
  const isFiltered = filterNames.some((name) => query[name] !== undefined);
  const nameOf = (of: string | null): string => organizations.find((each) => each.id === of)?.name ?? of ?? 'unknown';
  return (
    <Screen
      title="Requests"
      header={
        <>
          {data !== undefined && (
            <span class="muted">
              {isFiltered
                ? `${formatCount(data.count)} of ${pluralize(data.total, 'request')}`
                : pluralize(data.count, 'request')}
            </span>
          )}
          <div class="actions">
            {isFiltered && (
              <Button onClick={() => changeQuery(Object.fromEntries(filterNames.map((name) => [name, ''])))}>
                Remove the filters
              </Button>
            )}
            <Button pressed={paused !== undefined} onClick={() => setPause(paused === undefined ? data : undefined)}>
              <Icon name={paused === undefined ? 'pause' : 'play'} />
              {paused === undefined ? 'Pause' : `Resume (${(data?.sequence ?? 0) - paused.sequence} new)`}
            </Button>
          </div>
        </>
      }
    >
      <Filters query={query} values={shown?.values} organizations={organizations} />
      {data !== undefined && data.dropped > 0 && (
        <p class="banner" style={toneStyle('warn')} role="status">
          The log of the server was full: it dropped {pluralize(data.dropped, 'earlier request')}.
        </p>
      )}
      <MasterDetail
        screen="requests"
        label="Requests"
        columns={columns}
        rows={shown?.requests}
        error={found.error}
        count={shown?.count ?? 0}
        keyOf={({ requestId }) => requestId}
        cells={(request) => cellsOf(request, nameOf, query)}
        empty={
          shown?.total === 0 ? (
            <FirstRun organization={organizations[0]} />
          ) : (
            <Empty>No request matches the filters.</Empty>
          )
        }
        onMore={() => setLimit(10 * limit)}
      >
        {id !== undefined && (
          <RequestPanel
            key={id}
            requestId={id}
            nameOf={nameOf}
            onClose={() => navigate('requests', undefined, query)}
          />
        )}
      </MasterDetail>
    </Screen>
  );
}

interface FiltersProps {
  readonly query: Query;
  readonly values: FoundRequests['values'] | undefined;
  readonly organizations: readonly OrganizationSummary[];
}

function Filters({ query, values, organizations }: FiltersProps): JSX.Element {
  return (
    <div class="toolbar" role="search">
      <Search label="Filter requests" placeholder="Filter by path, query, id or message ( / )" />
      {organizations.length > 1 && (
        <Picker
          label="Organization of the requests"
          value={query['of'] ?? ''}
          options={[['', 'All organizations'], ...organizations.map(({ id, name }) => [id, name] as const)]}
          onChange={(of) => changeQuery({ of })}
        />
      )}
      {valueFilters.map(([name, label, all]) => (
        <CountSelect key={name} name={name} label={label} all={all} counts={values?.[name]} />
      ))}
      <Select
        label="Time range"
        hideLabel
        value={query['seconds'] ?? ''}
        onChange={(seconds) => changeQuery({ seconds })}
        options={timeRanges}
      />
    </div>
  );
}

/** What to do before the first request. */
function FirstRun({ organization }: { readonly organization: OrganizationSummary | undefined }): JSX.Element {
  return (
    <Section title="No requests yet.">
      <div class="section-body column">
        <p>Send the first request with the credentials of {organization?.name ?? 'the organization'}. Copy:</p>
        {organization !== undefined && (
          <div class="actions">
            <CredentialButtons organization={organization} />
          </div>
        )}
        <p class="muted">
          <code>.env</code> is for the command line and for your program, <code>curl</code> runs in a terminal as it is,
          and <code>TypeScript</code> creates a client. Other organizations are under{' '}
          <a href={linkTo('state')}>State</a>.
        </p>
      </div>
    </Section>
  );
}

function cellsOf(
  request: RequestSummary,
  nameOf: (organization: string | null) => string,
  query: Query,
): JSX.Element[] {
  const line = `${request.method} ${request.path}`;
  return [
    <HttpStatus status={request.status} />,
    <a class="cover" href={linkTo('requests', request.requestId, query)}>
      {request.endpoint ?? line}
    </a>,
    <span class="mono muted" title={line}>
      {line}
    </span>,
    <Outcome {...request} />,
    <span>{nameOf(request.organization)}</span>,
    <span>{formatDuration(request.duration)}</span>,
    <span class="mono">{formatTimeOfDay(request.receivedAt)}</span>,
  ];
}
