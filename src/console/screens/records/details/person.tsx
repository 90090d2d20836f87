import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../../components/badge.js';
import { Button, Input } from '../../../components/controls.js';
import { Empty, Section, Table } from '../../../components/layout.js';
import type { MockPerson } from '../../../control/records.js';
import { change } from '../../../control/use-control.js';
import { FieldFacts } from '../fields.js';

type Match = MockPerson['screening']['openMatches'][number];

/** The result of the screening of a person, with the matches to decide. */
export function PersonDetails({ person }: { readonly person: MockPerson }): JSX.Element {
  const { subject, openMatches } = person.screening;
  return (
    <>
      <Section title="Subject">
        <FieldFacts record={{ ...subject }} />
      </Section>
      <Section title="Open matches" count={openMatches.length}>
        {openMatches.length === 0 ? (
          <Empty>No open matches.</Empty>
        ) : (
          openMatches.map((match) => <OpenMatch key={match.matchId} personId={person.id} match={match} />)
        )}
      </Section>
    </>
  );
}

function OpenMatch({ personId, match }: { readonly personId: string; readonly match: Match }): JSX.Element {
  const [reason, setReason] = useState('');
  const clear = (): Promise<boolean> =>
    change(
      'persons.clearMatch',
      [personId, match.matchId, ...(reason === '' ? [] : [{ reason }])],
      'Cleared the match.',
    );
  return (
    <div class="match">
      <header>
        <strong>{match.caption}</strong>
        <Badge tone={match.isMatch ? 'bad' : 'warn'}>{`score ${match.score}`}</Badge>
        <span class="muted">{[match.schema, ...match.topics, ...match.datasets].join(' · ')}</span>
      </header>
      <Table
        columns={['Feature', 'Person', 'Entity', 'Score']}
        rows={match.features.map((each) => [each.label, each.matchedValue, each.candidateValue, each.score])}
        hasNumbers
      />
      <div class="toolbar section-body">
        <div class="grow">
          <Input label="Reason" hideLabel placeholder="Reason of the decision" value={reason} onInput={setReason} />
        </div>
        <Button onClick={clear}>Clear match</Button>
      </div>
    </div>
  );
}
