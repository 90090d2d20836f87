import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, isTyping } from './controls.js';
import { Icon } from './icons.js';

interface ScreenProps {
  readonly title: string;
  /** What is beside the title. */
  readonly header?: ComponentChildren;
  /** A text about the screen. */
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A screen with its title. */
export function Screen({ title, header, about, children }: ScreenProps): JSX.Element {
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>{title}</h1>
        {header}
        {about !== undefined && <p>{about}</p>}
      </div>
      {children}
    </div>
  );
}

/** A titled part of a screen. */
export function Section({
  title,
  actions,
  children,
  count,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly count?: number | string | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section" aria-label={title}>
      <header class="section-header">
        <h2>
          {title} <span class="count">{count}</span>
        </h2>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </section>
  );
}

/** Pairs of names and values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? <span class="muted">—</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A text for an empty list. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** The state of a list that is not read yet, or could not be read. */
export function Pending({ error }: { readonly error: Error | undefined }): JSX.Element {
  return error === undefined ? (
    <p class="empty" aria-busy="true">
      Loading…
    </p>
  ) : (
    <p class="empty failure" role="alert">
      {error.message}
    </p>
  );
}

interface LoadedProps<T> {
  readonly data: readonly T[] | undefined;
  readonly error: Error | undefined;
  /** The text for an empty list. */
  readonly empty: string;
  readonly children: (data: readonly T[]) => JSX.Element;
}

/** A list, once it is read. */
export function Loaded<T>({ data, error, empty, children }: LoadedProps<T>): JSX.Element {
  if (data === undefined) return <Pending error={error} />;
  return data.length === 0 ? <Empty>{empty}</Empty> : children(data);
}

interface TableProps {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Whether the last column has numbers. */
  readonly hasNumbers?: boolean;
}

/** A small table. */
export function Table({ columns, rows, hasNumbers = false }: TableProps): JSX.Element {
  return (
    <div class="table-scroll">
      <table class={hasNumbers ? 'table numbers' : 'table'}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** An entry of a timeline. */
export interface TimelineEntry {
  /** When it happened, in words or as it is shown. */
  readonly at: string;
  readonly content: ComponentChildren;
  readonly isFuture?: boolean;
}

/** What happened, oldest first. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }): JSX.Element {
  return (
    <ol class="timeline">
      {entries.map(({ at, content, isFuture = false }, index) => (
        <li key={index} class={isFuture ? 'future' : ''}>
          {content}
          <time class="mono">{at}</time>
        </li>
      ))}
    </ol>
  );
}

/** The details of a record beside its list; over it on a narrow screen. Escape closes it. */
export function Panel({
  title,
  onClose,
  children,
  actions,
}: {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}): JSX.Element {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    panel.current?.focus();
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !isTyping(event.target)) onClose();
    };
    addEventListener('keydown', close);
    return () => {
      removeEventListener('keydown', close);
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <aside class="panel" ref={panel} tabIndex={-1} aria-label="Details">
      <header class="panel-header">
        <div class="panel-title">{title}</div>
        <Button kind="quiet" label="Close details" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      {actions !== undefined && <div class="panel-actions actions">{actions}</div>}
      <div class="panel-body" tabIndex={0}>
        {children}
      </div>
    </aside>
  );
}
