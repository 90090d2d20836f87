import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, isTyping } from './controls.js';
import { Icon } from './icons.js';

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
          {title}
          {count !== undefined && <span class="count">{count}</span>}
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
