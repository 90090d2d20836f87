import type { JSX } from 'preact';
import { Button, Form, Input, type Values } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import type { JsonSchema, Schemas } from '../../control/record-types.js';
import { change, useControl } from '../../control/use-control.js';
import type { Fields } from './fields.js';
import type { RecordKind } from './kinds.js';

interface EditorProps {
  readonly kind: RecordKind;
  /** The record to change. Without one, the editor adds a record. */
  readonly record?: Fields;
  readonly onClose: () => void;
}

/** Adds or changes a record as JSON. */
export function Editor({ kind: { name, noun }, record, onClose }: EditorProps): JSX.Element {
  const [one] = noun;
  const { data: schemas } = useControl<Schemas>('schemas');
  const known = fieldNamesOf(schemas?.scenario.properties?.[name]?.items);
  const save = async ({ json = '' }: Values): Promise<void> => {
    const fields = parseRecord(one, json);
    if (record === undefined) await change(`${name}.add`, [fields], `Added a ${one}.`);
    else await change(`${name}.update`, [record['id'], changesOf(record, fields)], `Changed the ${one}.`);
    onClose();
  };
  return (
    <Section title={record === undefined ? `Add a ${one}` : `Edit the ${one}`}>
      <Form submit="Save" onSubmit={save} actions={<Button onClick={onClose}>Cancel</Button>}>
        <Input
          label={
            record === undefined
              ? 'The mock generates the fields that you omit, except those of the crypto catalog.'
              : 'Only the fields that you change are sent.'
          }
          name="json"
          hint={known.length > 0 ? `Fields: ${known.join(', ')}` : undefined}
          isLong
          defaultValue={JSON.stringify(record ?? {}, null, 2)}
        />
      </Form>
    </Section>
  );
}

/** Returns the names of the fields of a record in a scenario, which may be one of several kinds. */
function fieldNamesOf({ properties = {}, oneOf = [] }: JsonSchema = {}): readonly string[] {
  const names = [properties, ...oneOf.map((each) => each.properties ?? {})].flatMap(Object.keys);
  return [...new Set(names)].filter((name) => name !== 'count' && name !== 'transitions');
}

function parseRecord(noun: string, text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch (error) {
    throw new Error(`The ${noun} must be JSON: ${(error as Error).message}.`, { cause: error });
  }
}

const changesOf = (record: Fields, changed: Fields): Fields =>
  Object.fromEntries(
    Object.entries(changed).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(record[field])),
  );
