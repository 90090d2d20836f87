import type { JSX } from 'preact';
import { Badge } from '../../components/badge.js';
import { Button, Form, Select } from '../../components/controls.js';
import { Pending, Screen, Section } from '../../components/layout.js';
import { fieldsOf, SchemaInputs, valuesOf } from '../../components/schema-fields.js';
import { attempt } from '../../control/notices.js';
import type { JsonSchema, MockAssumption, Schemas } from '../../control/record-types.js';
import { change, useControl } from '../../control/use-control.js';
import { valueAt } from '../records/fields.js';

/** The rows of docs/assumptions.md by their ids, which the build inserts. */
declare const ASSUMPTION_ROWS: Readonly<Record<string, readonly string[]>>;

/** The topics of the rows; all others are about requests and responses. */
const topics: readonly (readonly [title: string, rows: readonly number[]])[] = [
  ['Payments', [10, 11, 14, 16, 17, 18, 25, 28, 30, 31, 32, 33, 34, 37]],
  ['Quotes and documents', [9, 21, 26, 27, 38]],
  ['Errors and limits', [6, 12, 15, 20, 29, 36]],
  ['Customers, screening and support', [19, 24, 39]],
];
const otherTopic = 'Requests and responses';

const topicOf = ({ id }: MockAssumption): string =>
  topics.find(([, rows]) => rows.includes(Number(id.slice('A-'.length))))?.[0] ?? otherTopic;

/** What the specification does not show, with the options of the mock; first those that differ from the defaults. */
export function AssumptionsScreen(): JSX.Element {
  const { data, error } = useControl<readonly MockAssumption[]>('assumptions');
  const { data: defaults } = useControl<readonly MockAssumption[]>('assumptions.defaults');
  const { data: schemas } = useControl<Schemas>('schemas');
  if (data === undefined || defaults === undefined || schemas === undefined)
    return (
      <Screen title="Assumptions">
        <Pending error={error} />
      </Screen>
    );
  const defaultOf = ({ id, question }: MockAssumption): unknown =>
    defaults.find((each) => each.id === id && each.question === question)?.value;
  const isChanged = (each: MockAssumption): boolean => JSON.stringify(each.value) !== JSON.stringify(defaultOf(each));
  const groups = [
    ['Different from the defaults', data.filter(isChanged)] as const,
    ...[...topics.map(([title]) => title), otherTopic].map(
      (title) => [title, data.filter((each) => !isChanged(each) && topicOf(each) === title)] as const,
    ),
  ];
  return (
    <Screen
      title="Assumptions"
      about="The questions that the platform's specification leaves open, and how the mock behaves. Open a question to read its row of docs/assumptions.md. A reset restores the options that the server was started with."
    >
      {groups.map(
        ([title, assumptions]) =>
          assumptions.length > 0 && (
            <Section key={title} title={title} count={assumptions.length}>
              {assumptions.map((assumption) => (
                <AssumptionRow
                  key={`${assumption.id} ${assumption.question}`}
                  assumption={assumption}
                  schema={schemas.behavior.properties?.[assumption.option ?? '']}
                  usual={isChanged(assumption) ? defaultOf(assumption) : undefined}
                />
              ))}
            </Section>
          ),
      )}
    </Screen>
  );
}

interface AssumptionProps {
  readonly assumption: MockAssumption;
  readonly schema: JsonSchema | undefined;
  /** The default, if the value differs from it. */
  readonly usual: unknown;
}

function AssumptionRow({ assumption, schema, usual }: AssumptionProps): JSX.Element {
  const { id, question, option, value } = assumption;
  const texts = ASSUMPTION_ROWS[id] ?? [];
  // The final statuses are a list, which follows from the table of transitions.
  const isDerived = schema?.type === 'object' && Array.isArray(value);
  return (
    <div class="switch-row">
      <details>
        <summary>
          <span class="mono">{id}</span> {question.replaceAll('`', '')}{' '}
          {usual !== undefined && <Badge tone="info">{`default: ${textOf(usual)}`}</Badge>}
        </summary>
        <dl>
          {['Assumed by the client', 'Override', 'Mock'].map((title, index) => (
            <>
              <dt>{title}</dt>
              <dd>{texts[index]}</dd>
            </>
          ))}
        </dl>
      </details>
      {option === undefined || schema === undefined || isDerived ? (
        <span class="muted">{textOf(value)}</span>
      ) : (
        <Setting
          key={textOf(value)}
          question={question}
          option={option}
          value={value}
          schema={schema}
          isChanged={usual !== undefined}
        />
      )}
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

interface SettingProps {
  readonly question: string;
  readonly option: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly isChanged: boolean;
}

/** The fields for the value of an option, by its type. Empty ones restore the default. */
function Setting({ question, option, value, schema, isChanged }: SettingProps): JSX.Element {
  const set = (next: unknown): Promise<void> =>
    change('configure', [{ [option]: next }], `${option} is now ${textOf(next ?? 'the default')}.`);
  if (schema.enum !== undefined)
    return <Select label={question} hideLabel value={textOf(value)} options={schema.enum} onChange={set} />;
  const choices = schema.items?.enum;
  if (choices !== undefined) {
    const selected = new Set(Array.isArray(value) ? (value as readonly string[]) : []);
    return (
      <fieldset class="actions">
        <legend class="visually-hidden">{question}</legend>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={selected.has(choice)}
              onChange={() =>
                void attempt(() => set(choices.filter((each) => selected.has(each) !== (each === choice))))
              }
            />{' '}
            {choice}
          </label>
        ))}
      </fieldset>
    );
  }
  const fields = fieldsOf(option, schema);
  return (
    <Form
      isInline
      submit="Apply"
      onSubmit={(values) => set(valuesOf(fields, values)[option] ?? null)}
      actions={
        isChanged && (
          <Button label={`Restore the default of ${option}`} onClick={() => set(null)}>
            Default
          </Button>
        )
      }
    >
      <SchemaInputs
        fields={fields}
        textOf={(name) => initialText(valueAt({ [option]: value }, name))}
        placeholder={typeof value === 'string' ? value : 'the default'}
      />
    </Form>
  );
}

/** Returns the text of a field. A text such as "900 s" or "no limits" describes the value. */
const initialText = (value: unknown): string =>
  typeof value === 'string' ? (/^[\d.]+/.exec(value)?.[0] ?? '') : textOf(value);
