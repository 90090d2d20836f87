import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { copyText } from './clipboard.js';
import { notify } from '../control/notices.js';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => unknown;
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly pressed?: boolean;
}

/** A button. It is disabled while its action runs. */
export function Button({
  children,
  onClick,
  kind,
  label,
  type = 'button',
  disabled = false,
  pressed,
}: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      await onClick?.();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type={type}
      class={`button ${kind ?? ''}`}
      disabled={disabled || isBusy}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick === undefined ? undefined : () => void run()}
    >
      {children}
    </button>
  );
}

/** A button that asks before it runs its action. */
export function ConfirmButton({
  question,
  answer,
  onConfirm,
  children,
}: {
  readonly question: string;
  readonly answer: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly children: string;
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button kind="danger" onClick={() => setAsking(true)}>
        {children}
      </Button>
    );
  return (
    <span class="actions" role="group" aria-label={question}>
      <span>{question}</span>
      <Button
        kind="danger"
        onClick={async () => {
          setAsking(false);
          await onConfirm();
        }}
      >
        {answer}
      </Button>
      <Button onClick={() => setAsking(false)}>No</Button>
    </span>
  );
}

/** A button that copies a text to the clipboard. */
export function CopyButton({
  text,
  children,
  label,
}: {
  readonly text: string;
  readonly children: string;
  readonly label?: string;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await copyText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    } catch {
      notify('failure', 'The browser does not allow this page to copy. Select the text instead.');
    }
  };
  return (
    <Button onClick={copy} {...(label !== undefined && { label })}>
      <span aria-live="polite">{isCopied ? 'Copied' : children}</span>
    </Button>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (string | readonly [value: string, text: string])[];
  readonly onChange: (value: string) => unknown;
  readonly hideLabel?: boolean;
}

/** A labeled list of options. */
export function Select({ label, value, options, onChange, hideLabel = false }: SelectProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => void onChange(event.currentTarget.value)}>
        {options.map((option) => {
          const [key, text] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={key} value={key} selected={key === value}>
              {text}
            </option>
          );
        })}
      </select>
    </div>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'number';
  readonly placeholder?: string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly hideLabel?: boolean;
}

/** A labeled text field. */
export function Input({
  label,
  value,
  onInput,
  type = 'text',
  placeholder,
  hint,
  required = false,
  hideLabel = false,
}: InputProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      <input
        id={id}
        type="text"
        inputMode={type === 'number' ? 'decimal' : 'text'}
        value={value}
        placeholder={placeholder}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
