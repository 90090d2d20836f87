import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.js';
import { Button, Form, Input, Select } from '../../components/controls.js';
import { Pending, Screen, Section } from '../../components/layout.js';
import type { JsonSchema, MockAssumption, Schemas } from '../../control/records.js';
import { change, submit, useControl } from '../../control/use-control.js';
import { parseJson } from './fault-kinds.js';

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
  const { data, error } = useControl<readonly MockAssumption[]>('assumptions', [], 'platform');
  const { data: defaults } = useControl<readonly MockAssumption[]>('assumptions.defaults', [], 'platform');
  const { data: schemas } = useControl<Schemas>('schemas', [], 'platform');
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
  const { id, question } = assumption;
  const [assumed = '', override = '', mock = ''] = ASSUMPTION_ROWS[id] ?? [];
  return (
    <div class="switch-row">
      <details>
        <summary>
          <span class="mono">{id}</span> {question.replaceAll('`', '')}{' '}
          {usual !== undefined && <Badge tone="info">{`default: ${textOf(usual)}`}</Badge>}
        </summary>
        <dl>
          <dt>Assumed by the client</dt>
          <dd>{assumed}</dd>
          <dt>Override</dt>
          <dd>{override}</dd>
          <dt>Mock</dt>
          <dd>{mock}</dd>
        </dl>
      </details>
      <Setting assumption={assumption} schema={schema} isChanged={usual !== undefined} />
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

interface SettingProps {
  readonly assumption: MockAssumption;
  readonly schema: JsonSchema | undefined;
  readonly isChanged: boolean;
}

/** A field for the value of an option, by its type. */
function Setting({ assumption, schema, isChanged }: SettingProps): JSX.Element {
  const { question, option, value } = assumption;
  // The final statuses are a list, which follows from the table of transitions.
  const isDerived = schema?.type === 'object' && Array.isArray(value);
  if (option === undefined || schema === undefined || isDerived) return <span class="muted">{textOf(value)}</span>;
  const done = (next: unknown): string => `${option} is now ${textOf(next ?? 'the default')}.`;
  const apply = (next: unknown): Promise<boolean> => change('configure', [{ [option]: next }], done(next), 'platform');
  if (schema.enum !== undefined)
    return <Select label={question} hideLabel value={textOf(value)} options={schema.enum} onChange={apply} />;
  const choices = schema.items?.enum;
  if (choices !== undefined) {
    const selected = Array.isArray(value) ? (value as readonly string[]) : [];
    return (
      <fieldset class="actions">
        <legend class="visually-hidden">{question}</legend>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={selected.includes(choice)}
              onChange={({ currentTarget }) =>
                apply(choices.filter((each) => (each === choice ? currentTarget.checked : selected.includes(each))))
              }
            />{' '}
            {choice}
          </label>
        ))}
      </fieldset>
    );
  }
  const set = (next: unknown): Promise<string | undefined> =>
    submit('configure', [{ [option]: next }], done(next), 'platform');
  return (
    <ValueForm key={textOf(value)} option={option} value={value} schema={schema} set={set} isChanged={isChanged} />
  );
}

interface ValueFormProps {
  readonly option: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly set: (value: unknown) => Promise<string | undefined>;
  readonly isChanged: boolean;
}

/** A field for each number of an option, or one for JSON. Empty fields restore the default. */
function ValueForm({ option, value, schema, set, isChanged }: ValueFormProps): JSX.Element {
  const paths = numbersOf(schema);
  const current = paths === undefined ? [jsonOf(value)] : paths.map((path) => numberAt(value, path));
  const [texts, setTexts] = useState(current);
  const save = async (): Promise<string | undefined> => {
    try {
      if (texts.every((text) => text.trim() === '')) return await set(null);
      return await set(paths === undefined ? parseJson(option, texts[0] ?? '') : valueOf(option, paths, texts));
    } catch (error) {
      return (error as Error).message;
    }
  };
  return (
    <Form kind="toolbar" onSubmit={save} fields={[option]}>
      {texts.map((text, index) => (
        <Input
          key={index}
          label={paths?.[index]?.join(' in ') || option}
          {...(index === 0 && { name: option })}
          hideLabel={(paths?.[index] ?? []).length === 0}
          type={paths === undefined ? 'text' : 'number'}
          placeholder={typeof value === 'string' ? value : texts.length === 1 ? 'the default' : undefined}
          value={text}
          onInput={(next) => setTexts(texts.with(index, next))}
        />
      ))}
      <Button type="submit" disabled={texts.every((text, index) => text === current[index])}>
        Apply
      </Button>
      {isChanged && (
        <Button label={`Restore the default of ${option}`} onClick={() => set(null)}>
          Default
        </Button>
      )}
    </Form>
  );
}

type Path = readonly string[];

// More than these numbers are easier to edit as JSON.
const mostNumbers = 3;
// Seconds say the same.
const otherUnits: ReadonlySet<string> = new Set(['days', 'hours', 'minutes']);

/** Returns the paths of the numbers in an option; undefined if it has other values, or too many numbers. */
function numbersOf(schema: JsonSchema): readonly Path[] | undefined {
  const find = ({ type, properties = {} }: JsonSchema, path: Path): readonly (Path | undefined)[] => {
    if (type !== 'object') return [type === 'number' || type === 'integer' ? path : undefined];
    const isUsed = ([name]: readonly [string, JsonSchema]): boolean =>
      properties['seconds'] === undefined || !otherUnits.has(name);
    return Object.entries(properties)
      .filter(isUsed)
      .flatMap(([name, field]) => find(field, [...path, name]));
  };
  const found = find(schema, []);
  const paths = found.filter((path) => path !== undefined);
  return paths.length === found.length && paths.length > 0 && paths.length <= mostNumbers ? paths : undefined;
}

// A text such as "900 s" or "no limits" describes the value.
const jsonOf = (value: unknown): string => (typeof value === 'string' ? '' : textOf(value));

function numberAt(value: unknown, path: Path): string {
  if (path.length === 0) return /^[\d.]+/.exec(textOf(value))?.[0] ?? '';
  const found = path.reduce((holder, name) => (holder as Readonly<Record<string, unknown>> | undefined)?.[name], value);
  return typeof found === 'number' ? String(found) : '';
}

/** Returns the value of an option from the texts of its numbers. */
function valueOf(option: string, paths: readonly Path[], texts: readonly string[]): unknown {
  const holder: Record<string, unknown> = {};
  for (const [index, path] of paths.entries()) {
    const text = texts[index] ?? '';
    if (text.trim() === '') continue;
    const [name = '', inner] = path.toReversed();
    const number = parseJson([option, ...path].join('.'), text);
    if (path.length === 0) return number;
    if (inner === undefined) holder[name] = number;
    else holder[inner] = { [name]: number };
  }
  return holder;
}
