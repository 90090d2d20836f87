import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { closeDetails } from '../control/router.js';
import { Button, useKeys } from './controls.js';

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

interface SectionProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly count?: number | string | undefined;
  readonly children: ComponentChildren;
}

/** A titled part of a screen. */
export function Section({ title, actions, children, count }: SectionProps): JSX.Element {
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

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** Pairs of names and values. */
export function Facts({ facts }: FactsProps): JSX.Element {
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

/** The state of what is not read yet, or could not be read. */
export function Pending({ error }: { readonly error: Error | undefined }): JSX.Element {
  return (
    <p class={`empty ${error && 'failure'}`} role={error && 'alert'} aria-busy={error === undefined}>
      {error?.message ?? 'Loading…'}
    </p>
  );
}

interface TableProps {
  /** The titles; the last column has none if it has buttons. */
  readonly columns: readonly string[];
  /** The rows, once they are read. */
  readonly rows: readonly (readonly ComponentChildren[])[] | undefined;
  /** The pages of the rows, to which their first cells link. Columns without room are hidden. */
  readonly links?: readonly string[] | undefined;
  /** The index of the row whose page is shown. */
  readonly selected?: number | undefined;
  readonly error?: Error | undefined;
  /** The text for a table without rows. */
  readonly empty?: string | undefined;
}

/** A table. */
export function Table({ columns, rows, links, selected, error, empty }: TableProps): JSX.Element {
  if (rows === undefined) return <Pending error={error} />;
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const open = (target: EventTarget | null, link: string | undefined): void => {
    if (link !== undefined && target instanceof Element && target.closest('a') === null) location.hash = link;
  };
  return (
    <div class={`table-scroll ${links ? 'list' : ''}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) =>
              column === '' ? (
                <td key="" />
              ) : (
                <th key={column} class={classOf(column)}>
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => {
            const link = links?.[row];
            return (
              <tr
                key={link ?? row}
                aria-current={row === selected ? 'true' : undefined}
                onClick={({ target }) => open(target, link)}
              >
                {cells.map((cell, column) => (
                  <td key={column} class={classOf(columns[column])}>
                    {link && column === 0 ? <a href={link}>{cell}</a> : cell}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const classOf = (column = ''): string =>
  column === '' ? 'actions' : /amount|duration/i.test(column) && !/currency/i.test(column) ? 'number' : '';

interface PanelProps {
  readonly title: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The details of a record beside its list; over it on a narrow screen. Escape closes it. */
export function Panel({ title, actions, children }: PanelProps): JSX.Element {
  const panel = useRef<HTMLElement>(null);
  useKeys({ Escape: closeDetails });
  useEffect(() => {
    const opener = document.activeElement;
    panel.current?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <aside class="panel" ref={panel} tabIndex={-1} aria-label="Details">
      <header class="section-header">
        <div class="panel-title">{title}</div>
        <Button kind="quiet" label="Close details" onClick={closeDetails}>
          ✕
        </Button>
      </header>
      {actions !== undefined && <div class="panel-actions actions">{actions}</div>}
      <div class="panel-body" tabIndex={0}>
        {children}
      </div>
    </aside>
  );
}
