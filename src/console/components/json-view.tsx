import type { ComponentChild, JSX } from 'preact';

const token = /("(?:\\.|[^"\\])*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** The most characters that are colored: coloring more would make the page slow. */
const maxColored = 60_000;

/** JSON with colors. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }): JSX.Element {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {text.length > maxColored ? text : coloredParts(text)}
    </pre>
  );
}

function coloredParts(text: string): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const tone = string === undefined ? 'fault' : colon === undefined ? 'good' : 'info';
    parts.push(<span style={{ color: `var(--${tone})` }}>{string ?? whole}</span>, colon ?? '');
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Parses a body if it is JSON; otherwise returns the text. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
