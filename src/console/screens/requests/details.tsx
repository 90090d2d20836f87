import type { JSX } from 'preact';
import type { FoundRequests } from '../../../mock/control/search.js';
import type { Exchange } from '../../../mock/wire/request-log.js';
import { toneStyle } from '../../components/badge.js';
import { CopyButton } from '../../components/controls.js';
import { JsonView, parsedBody, WithLinks } from '../../components/json-view.js';
import { Facts, Panel, Section, Table } from '../../components/layout.js';
import { useControl, useUpstream } from '../../control/use-control.js';
import { toMatcher } from '../../format/code.js';
import { formatDuration, formatTime, pluralize } from '../../format/text.js';
import { linkTo, useRoute } from '../../control/router.js';
import { signedCurl } from '../platform/credentials.js';
import { effectOf } from '../platform/faults.js';
import { cellsOf, columns, HttpStatus } from './cells.js';

/** How the response was lost on its way. */
const losses: Readonly<Record<string, string>> = {
  reset: 'connection reset',
  hang: 'no response',
  cut: 'body cut off',
  stall: 'body stalled',
};

interface RequestPanelProps {
  readonly exchange: Exchange;
  readonly nameOf: (organization: string | null) => string;
}

/** A request with its response. */
export function RequestPanel({ exchange, nameOf }: RequestPanelProps): JSX.Element {
  const { query } = useRoute();
  const isMock = useUpstream() === undefined;
  const { request, response, duration } = exchange;
  const { status = 0 } = request;
  const delivery = response?.delivery?.kind ?? null;
  const loss = losses[delivery ?? ''];
  const effect = effectOf(request.fault);
  const { paymentQuoteId } = Object(request.body) as { readonly paymentQuoteId?: unknown };
  const quoteId = request.endpoint === 'payments.create' ? paymentQuoteId : query['quoteId'];
  const matcher = toMatcher(request);
  // The records of a real platform are not here.
  const organization = isMock ? request.organization : null;
  const marked = fieldsInError(request);
  const invalid = [
    ['Invalid fields', request.issues] as const,
    ['Invalid fields of the response', request.responseIssues] as const,
  ].filter(([, issues]) => issues.length > 0);
  const isRejected = request.error?.status === 401;
  const claims = request.claims !== undefined && (
    <Section
      title={!isMock ? 'Token claims, not verified' : isRejected ? 'Claims of the rejected token' : 'Token claims'}
    >
      <JsonView label="Claims of the token" value={request.claims} marked={marked} />
    </Section>
  );
  return (
    <Panel
      title={
        <>
          <HttpStatus status={delivery === 'reset' || delivery === 'hang' ? delivery : String(status || 'none')} />
          <span>{request.endpoint ?? 'No endpoint'}</span>
        </>
      }
      actions={
        <>
          {isMock && <CopyButton text={() => signedCurl(request)}>Copy as curl</CopyButton>}
          {matcher !== undefined && <CopyButton text={matcher}>Copy as matcher</CopyButton>}
        </>
      }
    >
      {request.error !== undefined && (
        <div class="banner" style={toneStyle(request.error.status < 500 ? 'warn' : 'bad')}>
          <strong>{request.error.code}</strong>
          <p>{request.error.message}</p>
        </div>
      )}
      {(loss ?? effect) !== undefined && (
        <div class="banner" style={toneStyle('fault')}>
          {effect !== undefined && (
            <p>
              A planned <a href={linkTo('faults', undefined, {}, organization ?? undefined)}>{request.fault}</a>:{' '}
              {effect}
            </p>
          )}
          {loss !== undefined && (
            <p>
              The platform {status === 0 ? 'did not respond' : `responded with ${status}`}; the client saw: {loss}.
            </p>
          )}
        </div>
      )}
      <p class="mono">
        {request.method} <WithLinks text={request.path} organization={organization} />
      </p>
      {invalid.map(([title, issues]) => (
        <Section key={title} title={title} count={issues.length}>
          <Table columns={['Field', 'Rule']} rows={issues.map(({ path, message }) => [path || 'the body', message])} />
        </Section>
      ))}
      {isRejected && claims}
      {typeof quoteId === 'string' && <SameCreate quoteId={quoteId} request={request} />}
      <Section title="Request">
        {Object.keys(request.query).length > 0 && (
          <JsonView label="Query" value={request.query} marked={marked} organization={organization} />
        )}
        {request.body !== undefined && (
          <JsonView label="Body of the request" value={request.body} marked={marked} organization={organization} />
        )}
        <Headers headers={request.headers} />
      </Section>
      {response !== null && response.status !== null && (
        <Section title="Response">
          {response.body && (
            <JsonView label="Body of the response" value={parsedBody(response.body)} organization={organization} />
          )}
          <p class="section-body muted">{describeRest(response)}</p>
          <Headers headers={response.headers} />
        </Section>
      )}
      {!isRejected && claims}
      <Section title="Summary">
        <Facts
          facts={[
            ['Time', `${formatTime(request.receivedAt)} UTC`],
            ['Duration', formatDuration(duration)],
            ['Signed by', request.keyId && <span class="mono">{request.keyId}</span>],
            ['Organization', nameOf(request.organization ?? null)],
            [isMock ? 'Request ID' : 'ID in this log', <span class="mono">{request.requestId}</span>],
          ]}
        />
      </Section>
    </Panel>
  );
}

/** The names of the fields and claims that are invalid, or whose name or value is in the message of the error. */
function fieldsInError({ issues, error, body, query, claims }: Exchange['request']): ReadonlySet<string> {
  const words = [/\W+/, /[\s,()"]+/].flatMap((separator) => error?.message.split(separator) ?? []);
  const named = [body, query, claims]
    .flatMap((each) => Object.entries(Object(each) as Readonly<Record<string, unknown>>))
    .filter((field) => field.some((text) => words.includes(String(text))));
  const invalid = issues.map(({ path }) => path.replace(/\[\d+\]$/, '').replace(/^.*\./, ''));
  return new Set([...named.map(([name]) => name), ...invalid]);
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }): JSX.Element {
  const facts = Object.entries(headers);
  return (
    <details class="section-body">
      <summary>{pluralize(facts.length, 'header')}</summary>
      <Facts facts={facts} />
    </details>
  );
}

/** Says how much of a response is not shown; nothing if all of it is. */
function describeRest({ body, bodySize }: NonNullable<Exchange['response']>): string {
  if (body !== null) return bodySize > body.length ? `${body.length} of ${bodySize} characters are recorded.` : '';
  return bodySize > 0 ? `${bodySize} bytes that are not text, or that newer responses have replaced in the log.` : '';
}

interface SameCreateProps {
  readonly quoteId: string;
  readonly request: Exchange['request'];
}

/** The requests to create a payment, and the searches for it, if there is more than one. */
function SameCreate({ quoteId, request: { organization, requestId } }: SameCreateProps): JSX.Element | null {
  const search = { quoteId, organization };
  const { data } = useControl<FoundRequests>('requests.search', [search]);
  if (data === undefined || data.count < 2) return null;
  const records = data.records.toReversed();
  return (
    <Section title="Requests of this create" count={data.count}>
      <Table
        columns={columns}
        rows={records.map(cellsOf)}
        links={records.map((each) => linkTo('requests', each.requestId, { quoteId }))}
        selected={records.findIndex((each) => each.requestId === requestId)}
      />
    </Section>
  );
}
