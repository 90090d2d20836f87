import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Button, Input, Select } from '../../components/controls.js';
import { Icon } from '../../components/icons.js';
import { Empty } from '../../components/layout.js';
import { VirtualList, type Column } from '../../components/virtual-list.js';
import { droppedRequests, requests, resets } from '../../control/event-stream.js';
import type { OrganizationSummary, RequestSummary } from '../../control/records.js';
import { useStore } from '../../control/store.js';
import { useControl } from '../../control/use-control.js';
import { formatDuration, formatTimeOfDay, pluralize } from '../../format/text.js';
import { changeQuery, linkTo, navigate, useRoute, type Query } from '../../control/router.js';
import { RequestPanel } from './details.js';
import { HttpStatus, Outcome } from './outcome.js';
import { RateChart } from './rate-chart.js';

const columns: readonly Column[] = [
  { title: 'Status', width: '56px' },
  { title: 'Endpoint', width: 'minmax(100px, 3fr)' },
  { title: 'Path', width: 'minmax(120px, 3fr)', from: 760 },
  { title: 'Fault, error', width: 'minmax(146px, 2fr)', from: 520 },
  { title: 'Organization', width: 'minmax(90px, 1fr)', from: 900 },
  { title: 'Duration', width: '70px', from: 620, isNumber: true },
  { title: 'Time', width: '92px', isNumber: true },
];

/** The filters of the list. */
interface Filters {
  readonly text: string;
  readonly outcome: string;
  readonly endpoint: string;
}

const noFilters: Filters = { text: '', outcome: '', endpoint: '' };

/** The requests that are shown during a pause. */
interface Pause {
  readonly generation: number;
  readonly requests: readonly RequestSummary[];
}

/** Counts the requests after another one. The oldest ones may have left the list since. */
const countAfter = (all: readonly RequestSummary[], last: RequestSummary | undefined): number =>
  all.length - 1 - all.findLastIndex(({ sequence }) => sequence <= (last?.sequence ?? 0));

/** The requests that the platform received, newest first. */
export function RequestsScreen(): JSX.Element {
  const all = useStore(requests);
  const dropped = useStore(droppedRequests);
  const { id, query } = useRoute();
  const filters: Filters = { ...noFilters, ...query };
  const generation = useStore(resets);
  const [pause, setPause] = useState<Pause | undefined>(undefined);
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations', [], 'platform');
  // A log that starts again ends a pause.
  const paused = pause?.generation === generation ? pause.requests : undefined;
  const shown = paused ?? all;
  const rows = useMemo(() => filterRequests(shown, filters), [shown, query]);
  const endpointNames = useMemo(
    () => [...new Set(shown.flatMap(({ endpoint }) => endpoint ?? []))].toSorted(),
    [shown],
  );
  const nameOf = (organization: string | null): string =>
    organizations.find((each) => each.id === organization)?.name ?? organization ?? 'unknown';
  const selected = shown.find(({ requestId }) => requestId === id);
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Requests</h1>
        <span class="muted">{pluralize(all.length, 'request')}</span>
        <div class="actions">
          <Button
            pressed={paused !== undefined}
            onClick={() => setPause(paused === undefined ? { generation, requests: all } : undefined)}
          >
            <Icon name={paused === undefined ? 'pause' : 'play'} />
            {paused === undefined ? 'Pause' : `Resume (${countAfter(all, paused.at(-1))} new)`}
          </Button>
        </div>
      </div>
      {id === undefined && <RateChart requests={all} />}
      <div class="toolbar" role="search">
        <div class="grow">
          <Input
            label="Filter requests"
            hideLabel
            placeholder="Filter by path, status, code, fault or id"
            value={filters.text}
            onInput={(text) => changeQuery({ text })}
          />
        </div>
        <Select
          label="Outcome"
          hideLabel
          value={filters.outcome}
          onChange={(outcome) => changeQuery({ outcome })}
          options={[
            ['', 'All outcomes'],
            ['succeeded', 'Succeeded'],
            ['errors', 'Errors'],
            ['faults', 'Faults'],
          ]}
        />
        <Select
          label="Endpoint"
          hideLabel
          value={filters.endpoint}
          onChange={(endpoint) => changeQuery({ endpoint })}
          options={[['', 'All endpoints'], ...endpointNames]}
        />
      </div>
      {dropped > 0 && (
        <p class="banner tone-warn" role="status">
          The log of the server was full: it dropped {pluralize(dropped, 'earlier request')}.
        </p>
      )}
      <div class={`split ${id === undefined ? '' : 'open'}`}>
        {rows.length === 0 ? (
          <div class="section">
            <Empty>
              {all.length === 0
                ? 'No requests yet. Point a client at this server: its credentials are under State.'
                : 'No request matches the filters.'}
            </Empty>
          </div>
        ) : (
          <VirtualList
            label="Requests"
            columns={columns}
            rows={rows}
            keyOf={({ sequence }) => String(sequence)}
            cells={(request) => cellsOf(request, nameOf, query)}
            isSelected={({ requestId }) => requestId === id}
          />
        )}
        {id !== undefined && (
          <RequestPanel
            key={id}
            requestId={id}
            sameQuote={shown.filter(({ quoteId }) => quoteId !== null && quoteId === selected?.quoteId)}
            nameOf={nameOf}
            onClose={() => navigate('requests', undefined, query)}
          />
        )}
      </div>
    </div>
  );
}

function cellsOf(
  request: RequestSummary,
  nameOf: (organization: string | null) => string,
  query: Query,
): JSX.Element[] {
  return [
    <HttpStatus request={request} />,
    <a class="cover" href={linkTo('requests', request.requestId, query)}>
      {request.endpoint ?? `${request.method} ${request.path}`}
    </a>,
    <span class="mono muted">{`${request.method} ${request.path}`}</span>,
    <Outcome request={request} />,
    <span>{nameOf(request.organization)}</span>,
    <span>{formatDuration(request.duration)}</span>,
    <span class="mono">{formatTimeOfDay(request.receivedAt)}</span>,
  ];
}

/** Returns whether a request matches the filters. */
function matchesFilters(request: RequestSummary, { text, outcome, endpoint }: Filters): boolean {
  if (endpoint !== '' && request.endpoint !== endpoint) return false;
  if (outcome === 'errors' && request.error === null) return false;
  if (outcome === 'faults' && request.fault === null) return false;
  if (outcome === 'succeeded' && (request.error !== null || request.fault !== null)) return false;
  if (text === '') return true;
  const { method, path, status, error, fault, requestId, quoteId } = request;
  const searched = [method, path, request.endpoint, status, error?.code, error?.message, fault, requestId, quoteId];
  return searched.join(' ').toLowerCase().includes(text.toLowerCase());
}

/** Returns the requests that match the filters, newest first. */
function filterRequests(received: readonly RequestSummary[], filters: Filters): readonly RequestSummary[] {
  return received.filter((request) => matchesFilters(request, filters)).toReversed();
}
