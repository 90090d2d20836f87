import type { JSX } from 'preact';
import type { OrganizationSummary } from '../../../mock/control/calls.js';
import type { RequestSummary } from '../../../mock/control/search.js';
import type { Exchange } from '../../../mock/wire/request-log.js';
import { Select } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import { ListScreen } from '../../components/list-screen.js';
import { useControl, useUpstream } from '../../control/use-control.js';
import { changeQuery, linkTo, useRoute } from '../../control/router.js';
import { CredentialButtons } from '../platform/credentials.js';
import { cellsOf, columns } from './cells.js';
import { RequestPanel } from './details.js';

const timeRanges = [
  ['', 'Any time'],
  ['60', 'Last minute'],
  ['600', 'Last 10 minutes'],
  ['3600', 'Last hour'],
] as const;

/** The requests that the platform received, newest first. The server filters and counts them. */
export function RequestsScreen(): JSX.Element {
  const { query, organization } = useRoute();
  const { seconds, ...search } = query;
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations');
  const nameOf = (of: string | null): string => organizations.find((each) => each.id === of)?.name ?? of ?? 'unknown';
  const isOfAll = organization === undefined;
  return (
    <ListScreen
      name="requests"
      title="Requests"
      noun={['request', 'requests']}
      columns={isOfAll ? [...columns, 'Organization'] : columns}
      cells={(request: RequestSummary) => [...cellsOf(request), ...(isOfAll ? [nameOf(request.organization)] : [])]}
      search={{ ...search, organization, ...(seconds !== undefined && { seconds: Number(seconds) }) }}
      keyOf={({ requestId }) => requestId}
      placeholder="Filter by path, id or body ( / )"
      filters={
        <Select
          label="Time range"
          value={seconds ?? ''}
          onChange={(next) => changeQuery({ seconds: next })}
          options={timeRanges}
        />
      }
      empty={<FirstRun organization={organizations.find((each) => each.id === organization) ?? organizations[0]} />}
      details={(exchange: Exchange) => (
        <RequestPanel key={exchange.request.requestId} exchange={exchange} nameOf={nameOf} />
      )}
    />
  );
}

/** What to do before the first request. */
function FirstRun({ organization }: { readonly organization: OrganizationSummary | undefined }): JSX.Element {
  const upstream = useUpstream();
  return (
    <Section title="No requests yet.">
      <div class="section-body column">
        {upstream === undefined ? (
          <>
            <p>Send the first request with the credentials of {organization?.name ?? 'the organization'}. Copy:</p>
            <div class="actions">{organization && <CredentialButtons organization={organization} />}</div>
            <p class="muted">
              <code>.env</code> is for the command line and for your program, <code>curl</code> runs in a terminal as it
              is, and <code>TypeScript</code> creates a client. Other organizations are under{' '}
              <a href={linkTo('state')}>State</a>.
            </p>
          </>
        ) : (
          <p>
            Keep the key and the API key of your program, and set <code>CORRIDOR_BASE_URL</code> to{' '}
            <code>{location.origin + new URL(upstream.url).pathname.replace(/\/$/, '')}</code>.
          </p>
        )}
      </div>
    </Section>
  );
}
