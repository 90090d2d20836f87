import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Form, Input } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import { submit, useControl } from '../../control/use-control.js';
import type { Fields } from './fields.js';
import type { RecordKind } from './kinds.js';
import { saveCall } from './use-records.js';

interface EditorProps {
  readonly kind: RecordKind;
  /** The record to change. Without one, the editor adds a record. */
  readonly record?: Fields;
  readonly onClose: () => void;
}

/** Adds or changes a record as JSON. */
export function Editor({ kind, record, onClose }: EditorProps): JSX.Element {
  const { data: all = [] } = useControl<readonly Fields[]>(kind.catalog && `crypto.${kind.catalog}`);
  const [text, setText] = useState(JSON.stringify(record ?? {}, null, 2));
  const [one] = kind.noun;
  const title = record === undefined ? `Add a ${one}` : `Edit the ${one}`;
  const save = async (): Promise<string | undefined> => {
    let fields: unknown;
    try {
      fields = JSON.parse(text);
    } catch (error) {
      return `The ${one} must be JSON: ${(error as Error).message}.`;
    }
    const done = record === undefined ? `Added a ${one}.` : `Changed the ${one}.`;
    const error = await submit(...saveCall(kind, fields as Fields, record, all), done);
    if (error === undefined) onClose();
    return error;
  };
  return (
    <Section title={title}>
      <Form onSubmit={save}>
        <Input
          label={
            record !== undefined
              ? 'Only the fields that you change are sent.'
              : kind.catalog === undefined
                ? 'The mock generates the fields that you omit.'
                : 'All fields are required.'
          }
          type="json"
          value={text}
          onInput={setText}
        />
        <div class="actions">
          <Button kind="primary" type="submit">
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Section>
  );
}
