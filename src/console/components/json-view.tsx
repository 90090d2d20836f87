import type { ComponentChild, JSX } from 'preact';
import { linkTo } from '../control/router.js';

const token = /("(?:\\.|[^"\\])*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** The screens of the records, whose ids begin with three letters of the name. */
const screens = ['customers', 'beneficiaries', 'persons', 'quotes', 'documents', 'payments', 'tickets'];
const ids = /\b((?:cus|ben|per|quo|doc|pay|tic)_\w+)/;

interface WithLinksProps {
  readonly text: string;
  /** The organization whose records the ids link to; null for no links. @default the selected one */
  readonly organization?: string | null | undefined;
}

/** A text whose ids are links to their records. */
export function WithLinks({ text, organization }: WithLinksProps): JSX.Element {
  if (organization === null) return <>{text}</>;
  return (
    <>
      {text.split(ids).map((part, index) => {
        const screen = index % 2 === 1 ? screens.find((name) => name.startsWith(part.slice(0, 3))) : undefined;
        return screen === undefined ? part : <a href={linkTo(screen, part, {}, organization)}>{part}</a>;
      })}
    </>
  );
}

interface JsonViewProps extends Pick<WithLinksProps, 'organization'> {
  readonly value: unknown;
  readonly label: string;
  /** The names of the fields to mark. */
  readonly marked?: ReadonlySet<string>;
}

/** JSON with colors, whose ids are links to their records. */
export function JsonView({ value, label, marked = new Set(), organization }: JsonViewProps): JSX.Element {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const tone = string === undefined ? 'fault' : colon === undefined ? 'good' : 'info';
    const isMarked = colon !== undefined && marked.has(whole.slice(1, whole.lastIndexOf('"')));
    const content = tone === 'good' ? <WithLinks text={whole} organization={organization} /> : (string ?? whole);
    parts.push(
      isMarked ? <mark>{content}</mark> : <span style={{ color: `var(--${tone})` }}>{content}</span>,
      colon ?? '',
    );
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {parts}
    </pre>
  );
}

/** Parses a body if it is JSON; otherwise returns the text. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
