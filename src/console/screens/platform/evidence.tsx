import type { JSX } from 'preact';
import type { UpstreamSummary } from '../../../mock/platform/platform.js';
import { Badge } from '../../components/badge.js';
import { Screen, Section, Table } from '../../components/layout.js';
import { linkTo } from '../../control/router.js';

const tones = { contradicted: 'bad', confirmed: 'good', 'not seen': 'neutral' } as const;

/** What the responses of a real platform show about the assumptions, with the exchanges that show it. */
export function EvidenceScreen({ url, rows }: UpstreamSummary): JSX.Element {
  const count = (verdict: keyof typeof tones): number => rows.filter((row) => row.verdict === verdict).length;
  return (
    <Screen
      title="Assumptions"
      about={`What the responses of ${url} show about the rows of docs/assumptions.md. A contradiction stays, because others are samples.`}
    >
      <Section title="Evidence" count={`${count('contradicted')} contradicted, ${count('confirmed')} confirmed`}>
        <Table
          columns={['Row', 'Question', 'Verdict', 'Evidence']}
          rows={rows.map(({ key, verdict, evidence, meaning, requestId }) => [
            <span class="mono nowrap">{key.split(':')[0]}</span>,
            key.replace(/^.*?: /, '').replaceAll('`', ''),
            <Badge tone={tones[verdict]}>{verdict}</Badge>,
            <>
              {requestId !== null && <a href={linkTo('requests', requestId)}>{evidence}</a>}
              {meaning !== null && <small>{meaning}</small>}
            </>,
          ])}
        />
      </Section>
    </Screen>
  );
}
