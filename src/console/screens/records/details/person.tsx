import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.js';
import { Button, Input } from '../../components/controls.js';
import { Empty, Facts, Section } from '../../components/layout.js';
import { RecordScreen } from '../../components/record-screen.js';
import type { MockPerson } from '../../control/records.js';
import { change } from '../../control/use-control.js';
import { formatTime } from '../../format/text.js';
import { linkTo } from '../../router.js';

type Match = MockPerson['screening']['openMatches'][number];

/** The persons of the selected organization's customers, with their screening. */
export function PersonsScreen(): JSX.Element {
  return (
    <RecordScreen<MockPerson>
      title="Screening"
      kind="persons"
      noun={['person', 'persons']}
      columns={[
        { title: 'Person', width: 'minmax(120px, 1.6fr)' },
        { title: 'Result', width: 'minmax(130px, 1fr)' },
        { title: 'Customer', width: 'minmax(120px, 1.6fr)', from: 640 },
        { title: 'Runs', width: '56px', from: 800, isNumber: true },
        { title: 'Last screened', width: '142px', from: 520, isNumber: true },
      ]}
      cells={({ id, screening: { subject, openMatches, historyCount } }) => [
        <a class="cover" href={linkTo('persons', id)}>
          {subject.displayName}
        </a>,
        <Result matches={openMatches.length} hold={subject.paymentHold} />,
        subject.customerName,
        historyCount,
        <span class="mono">{formatTime(subject.lastScreenedAt)}</span>,
      ]}
      searchText={({ id, screening: { subject } }) => [id, subject.displayName, subject.customerName].join(' ')}
      actions={
        <Button kind="primary" onClick={() => change('persons.add', [], 'Added a person with an open match.')}>
          Add person
        </Button>
      }
      renderDetails={(person) => ({
        title: person.screening.subject.displayName,
        body: <PersonDetails person={person} />,
      })}
    />
  );
}

function Result({ matches, hold }: { readonly matches: number; readonly hold: boolean }): JSX.Element {
  if (hold) return <Badge tone="bad">Payment hold</Badge>;
  return matches > 0 ? <Badge tone="warn">{`${matches} open`}</Badge> : <Badge tone="good">Clear</Badge>;
}

function PersonDetails({ person }: { readonly person: MockPerson }): JSX.Element {
  const { subject, openMatches, previouslyCleared, query } = person.screening;
  return (
    <>
      <Section title="Subject">
        <Facts
          facts={[
            ['Customer', <a href={linkTo('customers', person.customerId)}>{subject.customerName}</a>],
            ['Payments held', subject.paymentHold ? 'yes' : 'no'],
            ['Onboarding blocked', subject.onboardingBlocked ? 'yes' : 'no'],
            ['Last screened', formatTime(subject.lastScreenedAt)],
            ['Next due', formatTime(subject.nextDueAt)],
            ['Algorithm', `${query.algorithm}, threshold ${query.threshold}`],
            ['Person ID', <span class="mono">{person.id}</span>],
          ]}
        />
      </Section>
      <Section title="Open matches" count={openMatches.length}>
        {openMatches.length === 0 ? (
          <Empty>No open matches.</Empty>
        ) : (
          openMatches.map((match) => <OpenMatch key={match.matchId} personId={person.id} match={match} />)
        )}
      </Section>
      <Section title="Decisions" count={previouslyCleared.length}>
        <ul class="rows">
          {previouslyCleared.map((decision) => (
            <li key={decision.id}>
              <span class="grow">{decision.reason}</span>
              <span class="muted">{decision.reviewedByDisplayName}</span>
              <time class="mono muted">{formatTime(decision.reviewedAt)}</time>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Runs" count={person.runs.length}>
        <ul class="rows">
          {person.runs.map((run) => (
            <li key={run.screeningId}>
              <span class="grow">{run.matchCount === 1 ? '1 match' : `${run.matchCount} matches`}</span>
              {run.errorMessage !== null && run.errorMessage !== undefined && run.errorMessage !== '' && (
                <span class="failure">{run.errorMessage}</span>
              )}
              <span class="muted">{run.dataVersion}</span>
              <time class="mono muted">{formatTime(run.createdAt)}</time>
            </li>
          ))}
        </ul>
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
      <div class="match-header">
        <strong>{match.caption}</strong>
        <Badge tone={match.isMatch ? 'bad' : 'warn'}>{`score ${match.score}`}</Badge>
        <span class="muted">{[match.schema, ...match.topics, ...match.datasets].join(' · ')}</span>
      </div>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Feature</th>
              <th scope="col">Person</th>
              <th scope="col">Entity</th>
              <th scope="col" class="number">
                Score
              </th>
            </tr>
          </thead>
          <tbody>
            {match.features.map((feature) => (
              <tr key={feature.key}>
                <td>{feature.label}</td>
                <td>{feature.matchedValue}</td>
                <td>{feature.candidateValue}</td>
                <td class="number">{feature.score}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="toolbar section-body">
        <div class="grow">
          <Input label="Reason" hideLabel placeholder="Reason of the decision" value={reason} onInput={setReason} />
        </div>
        <Button onClick={clear}>Clear match</Button>
      </div>
    </div>
  );
}
