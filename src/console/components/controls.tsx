import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useId, useState } from 'preact/hooks';
import { copyText } from './clipboard.js';
import { attempt } from '../control/notices.js';
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
  readonly kind?: 'primary' | 'danger' | 'quiet' | 'preset' | undefined;
  readonly label?: string | undefined;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
}

/** A button, which submits its form if it has no action. It is disabled while its action runs. */
export function Button({ children, onClick, question, kind, label, disabled, pressed }: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    if (onClick === undefined || (question !== undefined && !confirm(question))) return;
    setBusy(true);
    await attempt(onClick);
    setBusy(false);
  };
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={`button ${kind ?? ''}`}
      disabled={disabled === true || isBusy}
      aria-label={label}
      aria-pressed={pressed}
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

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hideLabel?: boolean | undefined;
  readonly children: ComponentChildren;
}

function Field({ id, label, hideLabel = false, children }: FieldProps): JSX.Element {
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children}
    </div>
  );
}

/** An option of a list, with its text if that is not the value. */
export type Option = string | readonly [value: string, text: string];

interface SelectProps {
  readonly label: string;
  readonly options: readonly Option[];
  /** The name of the field in its form. */
  readonly name?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => unknown;
  readonly hideLabel?: boolean;
}

/** A labeled list of options. */
export function Select({ label, options, name, value, onChange = () => {}, hideLabel }: SelectProps): JSX.Element {
  const id = useId();
  return (
    <Field id={id} label={label} hideLabel={hideLabel}>
      <select
        id={id}
        name={name}
        {...(value !== undefined && { value })}
        onChange={({ currentTarget }) => void attempt(() => onChange(currentTarget.value))}
      >
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

/** The values of the fields of a form by name. */
export type Values = Readonly<Record<string, string>>;

/** The error of a form, and the name of the field that it is about, if there is one. */
interface Failure {
  readonly message: string;
  readonly name: string | undefined;
}

const FormFailure = createContext<Failure | undefined>(undefined);

/** Returns whether an error is about a field: its message begins with the call and the name of the field. */
const isAbout = (message: string, name: string): boolean =>
  [name, name.replace(/^\w+\./, '')].some((each) =>
    new RegExp(String.raw`(?:^|[\s.:])${each}(?:[.[]\S*)? (?:must|is|does|has)\b`).test(message),
  );

interface FormProps {
  /** The text of the button. */
  readonly submit: string;
  /** Sends the values. */
  readonly onSubmit: (values: Values) => unknown;
  readonly isInline?: boolean;
  readonly children: ComponentChildren;
  /** Other buttons. */
  readonly actions?: ComponentChildren;
}

/** A form that shows the error of its last submission beside the field, or at its end. */
export function Form({ submit, onSubmit, isInline = false, children, actions }: FormProps): JSX.Element {
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const values = Object.fromEntries(new FormData(form)) as Values;
    try {
      await onSubmit(values);
      setFailure(undefined);
    } catch (error) {
      const { message } = error as Error;
      setFailure({ message, name: Object.keys(values).find((name) => isAbout(message, name)) });
    }
  };
  return (
    <form
      class={isInline ? 'toolbar' : 'column'}
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      <FormFailure.Provider value={failure}>{children}</FormFailure.Provider>
      <div class="actions">
        <Button kind={isInline ? undefined : 'primary'}>{submit}</Button>
        {actions}
      </div>
      {failure !== undefined && failure.name === undefined && (
        <p class="failure" role="alert">
          {failure.message}
        </p>
      )}
    </form>
  );
}

interface InputProps {
  readonly label: string;
  readonly hideLabel?: boolean;
  readonly hint?: string | undefined;
  /** The name of the field in its form. */
  readonly name?: string;
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
  readonly inputMode?: 'text' | 'decimal';
  /** Whether it has several lines. */
  readonly isLong?: boolean;
  /** The text of a field that changes with its screen. */
  readonly value?: string;
  readonly onInput?: (value: string) => void;
  /** The first text of a field of a form. */
  readonly defaultValue?: string;
}

/** A labeled text field. */
export function Input({ label, hideLabel, hint, isLong = false, onInput, ...others }: InputProps): JSX.Element {
  const id = useId();
  const failure = useContext(FormFailure);
  const own = failure?.name !== undefined && failure.name === others.name ? failure.message : undefined;
  const isDescribed = hint !== undefined || own !== undefined;
  // Both elements have these attributes.
  const Control = (isLong ? 'textarea' : 'input') as 'input';
  return (
    <Field id={id} label={label} hideLabel={hideLabel}>
      <Control
        {...others}
        id={id}
        aria-describedby={isDescribed ? `${id}-hint` : undefined}
        aria-invalid={own !== undefined}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onInput?.(currentTarget.value)}
      />
      {isDescribed && (
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
  if (options.length === 0) return null;
  const select = (value: string): void => changeQuery({ [name]: value });
  return <Select label={label} hideLabel value={selected} onChange={select} options={[['', all], ...options]} />;
}

interface SearchProps {
  readonly label: string;
  readonly placeholder?: string | undefined;
}

/** A field for the text by which a list is filtered. The text is in the URL. */
export function Search({ label, placeholder = `${label} ( / )` }: SearchProps): JSX.Element {
  const { text = '' } = useRoute().query;
  const search = (next: string): void => changeQuery({ text: next });
  return (
    <div class="grow">
      <Input label={label} hideLabel placeholder={placeholder} value={text} onInput={search} />
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
