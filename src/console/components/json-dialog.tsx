import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button, Select } from './controls.js';

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

interface JsonButtonProps {
  /** The text of the button, and the title of the dialog. */
  readonly title: string;
  /** What the JSON is. */
  readonly hint: string;
  /** The texts to start from, by their titles; the first one is shown first. */
  readonly examples: readonly (readonly [title: string, value: Fields])[];
  readonly kind?: 'primary';
  /** Sends the JSON; `start` is the text that was shown first. */
  readonly onSave: (value: Fields, start: Fields) => Promise<void>;
  readonly children?: ComponentChildren;
}

/** A button that opens a dialog in which JSON is edited. */
export function JsonButton(props: JsonButtonProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={props.kind} onClick={() => setOpen(true)}>
        {props.children ?? props.title}
      </Button>
      {isOpen && <JsonDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

const formatted = (value: unknown): string => JSON.stringify(value, null, 2);

interface Failure {
  readonly message: string;
  /** The number of the line, from 1; undefined if the message is about the whole text. */
  readonly line: number | undefined;
}

/** Edits JSON. An error of `onSave` is shown, and marks the line of the field that its message names. */
function JsonDialog({
  title,
  hint,
  examples,
  onSave,
  onClose,
}: JsonButtonProps & { readonly onClose: () => void }): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  // Records that change meanwhile do not replace the text.
  const [[selected, start], setExample] = useState(examples[0] ?? (['', {}] as const));
  useEffect(() => dialog.current?.showModal(), []);
  const save = async (field: HTMLTextAreaElement): Promise<void> => {
    let value: Fields | undefined;
    try {
      value = JSON.parse(field.value) as Fields;
      field.value = formatted(value);
      await onSave(value, start);
      dialog.current?.close();
    } catch (error) {
      const { message } = error as Error;
      const lines = field.value.split('\n').length;
      const wrong =
        value === undefined
          ? // Not all browsers say where. A text that ends too early is wrong in its last line.
            { message: `The text must be JSON: ${message}.`, line: Number(/line (\d+)/.exec(message)?.[1] ?? lines) }
          : { message, line: lineOf(value, message) };
      setFailure(wrong);
      field.focus();
      field.scrollTop = (field.scrollHeight * ((wrong.line ?? 1) - 5)) / lines;
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`} onClose={onClose}>
      <div class="column">
        <h2 id={`${id}-title`}>{title}</h2>
        {examples.length > 1 && (
          <Select
            label="Example"
            value={selected}
            options={examples.map(([each]) => [each, each])}
            onChange={(name) => {
              setExample(examples.find(([each]) => each === name) ?? ['', {}]);
              setFailure(undefined);
            }}
          />
        )}
        <textarea
          key={selected}
          ref={area}
          aria-label={`${title}, as JSON`}
          aria-invalid={failure !== undefined}
          aria-describedby={`${id}-error ${id}-hint`}
          spellcheck={false}
          wrap="off"
          style={{ '--line': failure?.line ?? -1 }}
          defaultValue={formatted(start)}
          onInput={() => setFailure(undefined)}
        />
        <p id={`${id}-error`} class="failure" role="alert">
          {failure?.line !== undefined && <strong>Line {failure.line}: </strong>}
          {failure?.message}
        </p>
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
        <div class="actions">
          <Button kind="primary" onClick={() => area.current && save(area.current)}>
            Save
          </Button>
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        </div>
      </div>
    </dialog>
  );
}

/**
 * Returns the number of the line of the formatted value with the field that the message of a call names first, such as
 * `persons.add: screening.subject.displayName must be a string`, or with the innermost object around it.
 */
function lineOf(value: Fields, message: string): number | undefined {
  const [path = ''] = /^(?:\S+: )*\S+/.exec(message.replace(/^[\w.]+: /, '')) ?? [];
  const root = structuredClone(value) as Record<string, unknown>;
  let [object, field, next] = [root, '', root as unknown];
  for (const name of path.split(/[.[\]:\s]+/)) {
    // Names around the text, such as that of the list that the call adds it to, are not in it.
    if (!Object.hasOwn(Object(next) as object, name)) continue;
    object = next as typeof root;
    field = name;
    next = object[name];
  }
  if (field === '') return undefined;
  object[field] = mark;
  return (
    formatted(root)
      .split('\n')
      .findIndex((line) => line.includes(mark)) + 1
  );
}

/** The placeholder of a value. */
const mark = '\uE000';

/** Returns the fields that are new or have another value. */
export const changesOf = (before: Fields, after: Fields): Fields =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
