import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copyText } from './clipboard.js';
import { attempt } from '../control/notices.js';
import { changeQuery, useRoute } from '../control/router.js';
import { formatCount, formatStatus } from '../format/text.js';

/** Runs an action for a key of the page, unless the key is for a field or a dialog. */
export function useKeys(actions: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  // Before the page is painted: a key that follows at once finds what it shows, and not what was there before.
  useLayoutEffect(() => {
    const act = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      const isTyping = target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
      if (!isTyping && !ctrlKey && !metaKey && !altKey) actions[key]?.(event);
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  });
}

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => unknown;
  /** What to ask before the action. */
  readonly question?: string;
  readonly kind?: 'primary' | 'danger' | 'quiet' | 'preset' | undefined;
  readonly label?: string | undefined;
  readonly disabled?: boolean;
}

/** A button, which is disabled while its action runs. */
export function Button({ children, onClick, question, kind, label, disabled = false }: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    if (question !== undefined && !confirm(question)) return;
    setBusy(true);
    await attempt(onClick);
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={`button ${kind ?? ''}`}
      disabled={disabled || isBusy}
      aria-label={label}
      title={label}
      onClick={() => void run()}
    >
      {children}
    </button>
  );
}

interface CopyButtonProps {
  readonly text: string | (() => Promise<string>);
  readonly children: string;
  readonly label?: string;
}

/** A button that copies a text to the clipboard. */
export function CopyButton({ text, children, label }: CopyButtonProps): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(typeof text === 'string' ? text : await text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <Button onClick={copy} label={label}>
      <span aria-live="polite">{isCopied ? 'Copied' : children}</span>
    </Button>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

/** A list of options. */
export function Select({ label, value, options, onChange }: SelectProps): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([key, text]) => (
        <option key={key} value={key} selected={key === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface CountSelectProps {
  /** The name of the parameter in the URL. */
  readonly name: string;
  /** The number of records with each value. */
  readonly counts: Readonly<Record<string, number>>;
}

/** A filter by one of the values that the server counted. The value is in the URL. */
export function CountSelect({ name, counts }: CountSelectProps): JSX.Element | null {
  const selected = useRoute().query[name] ?? '';
  const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const options = Object.entries({ ...(selected !== '' && { [selected]: 0 }), ...counts })
    .toSorted()
    .map(
      ([value, count]) =>
        [value, `${/^[A-Z_]+$/.test(value) ? formatStatus(value) : value} (${formatCount(count)})`] as const,
    );
  if (options.length === 0) return null;
  const select = (value: string): void => changeQuery({ [name]: value });
  return <Select label={label} value={selected} onChange={select} options={[['', `Any ${name}`], ...options]} />;
}

interface SearchProps {
  readonly label: string;
  readonly placeholder?: string | undefined;
}

/** A field for the text by which a list is filtered. The text is in the URL. The key / moves to it, Escape leaves it. */
export function Search({ label, placeholder = `${label} ( / )` }: SearchProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useKeys({
    '/': (event) => {
      event.preventDefault();
      field.current?.focus();
    },
  });
  return (
    <input
      ref={field}
      aria-label={label}
      placeholder={placeholder}
      value={useRoute().query['text'] ?? ''}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => changeQuery({ text: currentTarget.value })}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
    />
  );
}

interface TextFormProps {
  readonly label: string;
  readonly placeholder?: string;
  /** The text of the button. */
  readonly submit: string;
  readonly required?: boolean;
  readonly onSubmit: (text: string) => unknown;
}

/** A field with a button, and the error of the last submission. */
export function TextForm({ label, placeholder = label, submit, required, onSubmit }: TextFormProps): JSX.Element {
  const id = useId();
  const [error, setError] = useState('');
  const send = async (form: HTMLFormElement): Promise<void> => {
    try {
      await onSubmit(String(new FormData(form).get('text')));
      form.reset();
      setError('');
    } catch (cause) {
      setError((cause as Error).message);
    }
  };
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      <input
        name="text"
        aria-label={label}
        aria-invalid={error !== ''}
        aria-describedby={id}
        placeholder={placeholder}
        required={required}
        autocomplete="off"
        spellcheck={false}
      />
      <button class="button">{submit}</button>
      <span id={id} class="failure" role="alert">
        {error}
      </span>
    </form>
  );
}
