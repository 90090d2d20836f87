import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useId, useState } from 'preact/hooks';
import { copyText } from './clipboard.js';
import { notify } from '../control/notices.js';
import { changeQuery, useRoute } from '../control/router.js';
import { formatCount } from '../format/text.js';

/** Whether keys are text for a field. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => unknown;
  /** What to ask before the action. */
  readonly question?: string;
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
  question,
  kind,
  label,
  type = 'button',
  disabled = false,
  pressed,
}: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    if (question !== undefined && !confirm(question)) return;
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

/** A button that copies a text to the clipboard. */
export function CopyButton({
  text,
  children,
  label,
}: {
  readonly text: string | (() => Promise<string>);
  readonly children: string;
  readonly label?: string;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await copyText(typeof text === 'string' ? text : await text());
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    } catch (error) {
      notify('failure', (error as Error).message);
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

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hideLabel: boolean;
  readonly children: ComponentChildren;
}

function Field({ id, label, hideLabel, children }: FieldProps): JSX.Element {
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children}
    </div>
  );
}

/** A labeled list of options. */
export function Select({ label, value, options, onChange, hideLabel = false }: SelectProps): JSX.Element {
  const id = useId();
  return (
    <Field id={id} label={label} hideLabel={hideLabel}>
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
    </Field>
  );
}

/** The error of the form around a field. */
const FormError = createContext<string | undefined>(undefined);

/** Returns whether an error is about a field: its message begins with the call and the name of the field. */
const isAbout = (error: string, name: string): boolean =>
  new RegExp(String.raw`(?:^|[\s.:])${name}(?:[.[]\S*)? (?:must|is|does|has)\b`).test(error);

interface FormProps {
  /** Sends the form. Resolves to the message of the error, if there is one. */
  readonly onSubmit: () => Promise<string | undefined>;
  /** The names of the fields, which show their errors themselves. */
  readonly fields?: readonly string[];
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** A form that shows the error of its last submission beside the field, or at its end. */
export function Form({ onSubmit, fields = [], kind = 'section-body column', children }: FormProps): JSX.Element {
  const [error, setError] = useState<string | undefined>(undefined);
  const isShown = error !== undefined && fields.some((name) => isAbout(error, name));
  const submit = async (): Promise<void> => setError(await onSubmit());
  return (
    <form
      class={kind}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <FormError.Provider value={error}>{children}</FormError.Provider>
      {error !== undefined && !isShown && (
        <p class="failure" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** The name of the field in errors. */
  readonly name?: string;
  readonly type?: 'text' | 'number' | 'json';
  readonly placeholder?: string | undefined;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly hideLabel?: boolean;
}

/** A labeled text field; several lines for JSON. */
export function Input({
  label,
  value,
  onInput,
  name,
  type = 'text',
  placeholder,
  hint,
  required = false,
  hideLabel = false,
}: InputProps): JSX.Element {
  const id = useId();
  const error = useContext(FormError);
  const own = error !== undefined && name !== undefined && isAbout(error, name) ? error : undefined;
  const described = hint !== undefined || own !== undefined;
  const attributes = {
    id,
    value,
    placeholder,
    required,
    'aria-describedby': described ? `${id}-hint` : undefined,
    'aria-invalid': own !== undefined,
    spellcheck: false,
    autocomplete: 'off',
  };
  return (
    <Field id={id} label={label} hideLabel={hideLabel}>
      {type === 'json' ? (
        <textarea {...attributes} class="mono" onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <input
          {...attributes}
          type="text"
          inputMode={type === 'number' ? 'decimal' : 'text'}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      {described && (
        <span id={`${id}-hint`}>
          {own !== undefined && (
            <span class="failure" role="alert">
              {own}
            </span>
          )}
          <span class="hint">{hint}</span>
        </span>
      )}
    </Field>
  );
}

interface CountSelectProps {
  /** The name of the parameter in the URL. */
  readonly name: string;
  readonly label: string;
  /** The text for no filter. */
  readonly all: string;
  /** The number of records with each value. */
  readonly counts: Readonly<Record<string, number>> | undefined;
  readonly format?: (value: string) => string;
}

/** A filter by one of the values that the server counted. The value is in the URL. */
export function CountSelect({ name, label, all, counts, format = String }: CountSelectProps): JSX.Element | null {
  const selected = useRoute().query[name] ?? '';
  const options = Object.entries({ ...(selected !== '' && { [selected]: 0 }), ...counts })
    .toSorted()
    .map(([value, count]) => [value, `${format(value)} (${formatCount(count)})`] as const);
  return options.length === 0 ? null : (
    <Select
      label={label}
      hideLabel
      value={selected}
      onChange={(value) => changeQuery({ [name]: value })}
      options={[['', all], ...options]}
    />
  );
}

interface SearchProps {
  readonly label: string;
  readonly placeholder?: string;
}

/** A field for the text by which a list is filtered. The text is in the URL. */
export function Search({ label, placeholder = `${label} ( / )` }: SearchProps): JSX.Element {
  return (
    <div class="grow">
      <Input
        label={label}
        hideLabel
        placeholder={placeholder}
        value={useRoute().query['text'] ?? ''}
        onInput={(text) => changeQuery({ text })}
      />
    </div>
  );
}

interface PickerProps {
  readonly label: string;
  /** The selected value. */
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => unknown;
}

/** A list of options that is searched by typing, for many of them. */
export function Picker({ label, value, options, onChange }: PickerProps): JSX.Element {
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const isDuplicate = (text: string): boolean => options.filter((each) => each[1] === text).length > 1;
  const shown = options.map(([key, text]) => [key, isDuplicate(text) ? `${text} (${key})` : text] as const);
  const selected = shown.find(([key]) => key === value)?.[1] ?? value;
  const select = (text: string): void => {
    const found = shown.find((option) => option.includes(text));
    setTyped(found === undefined ? text : undefined);
    if (found !== undefined) onChange(found[0]);
  };
  useEffect(() => {
    // The option may have arrived after its name was typed.
    if (typed !== undefined && typed !== '') select(typed);
  }, [options.length]);
  return (
    <Field id={id} label={label} hideLabel>
      <input
        id={id}
        list={`${id}-options`}
        value={typed ?? selected}
        placeholder={selected}
        autocomplete="off"
        spellcheck={false}
        // With the name of the selected option, the browser would offer only that one.
        onFocus={() => setTyped('')}
        onBlur={() => setTyped(undefined)}
        onInput={(event) => select(event.currentTarget.value)}
      />
      <datalist id={`${id}-options`}>
        {shown.map(([key, text]) => (
          <option key={key} value={text} />
        ))}
      </datalist>
    </Field>
  );
}
