import type { JSX } from 'preact';
import type { MockAssumption, MockBehavior } from '../../../mock/index.js';
import { Badge } from '../../components/badge.js';
import { JsonButton } from '../../components/json-dialog.js';
import { Screen, Section, Table } from '../../components/layout.js';
import { change, useControl, useUpstream } from '../../control/use-control.js';
import { EvidenceScreen } from './evidence.js';

/** Options to start from if none is set. */
const example: MockBehavior = { quotes: 'reusable', quoteLifetime: 60 };

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '').replaceAll(',', ', ');

/** The open questions: how the mock behaves, or what a real platform shows. */
export function AssumptionsScreen(): JSX.Element {
  const upstream = useUpstream();
  return upstream === undefined ? <OptionsScreen /> : <EvidenceScreen {...upstream} />;
}

/** What the specification does not show, with the options of the mock; first those that differ from the defaults. */
function OptionsScreen(): JSX.Element {
  const { data, error } = useControl<readonly MockAssumption[]>('assumptions');
  const { data: defaults = [] } = useControl<readonly MockAssumption[]>('assumptions.defaults');
  const { data: behavior = {} } = useControl<MockBehavior>('behavior');
  // Both lists have the same rows.
  const rows = data?.map((row, index) => {
    const [text, normal] = [row, defaults[index] ?? row].map(({ value }) => textOf(value));
    return { ...row, text, normal, isUsual: text === normal };
  });
  return (
    <Screen
      title="Assumptions"
      about="The questions that the platform's specification leaves open, by the rows of docs/assumptions.md, and how the mock behaves. A reset restores the options that the server was started with."
      header={
        <div class="actions">
          <JsonButton
            title="Edit the options"
            hint="The options that are set. Those that you remove, or set to null, have their defaults again."
            examples={[['', Object.keys(behavior).length === 0 ? { ...example } : { ...behavior }]]}
            onSave={(options, start) => {
              const unset = Object.fromEntries(Object.keys(start).map((option) => [option, null]));
              return change('configure', [{ ...unset, ...options }], 'Changed the options.');
            }}
          />
        </div>
      }
    >
      <Section title="Options" count={data?.length}>
        <Table
          columns={['Row', 'Question', 'Option', 'Value']}
          rows={rows
            ?.toSorted((left, right) => Number(left.isUsual) - Number(right.isUsual))
            .map(({ id, question, option, text, normal, isUsual }) => [
              <span class="mono nowrap">{id}</span>,
              question.replaceAll('`', ''),
              <code>{option}</code>,
              <>
                {text} {!isUsual && <Badge tone="info">{`default: ${normal}`}</Badge>}
              </>,
            ])}
          error={error}
        />
      </Section>
    </Screen>
  );
}
