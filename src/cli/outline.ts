import { fitted, plain, widthOf } from './text.js';

/** A record as lines: its fields below each other, those of records within it further in. */
export function outlineOf(value: unknown, strong: (text: string) => string, indent = ''): string[] {
  if (!isRecord(value)) return [`${indent}${scalar(value)}`];
  const fields = Object.entries(value);
  const width = Math.max(0, ...fields.filter(([, field]) => !isNested(field)).map(([name]) => widthOf(plain(name))));
  return fields.flatMap(([name, field]) => {
    const label = plain(name);
    if (!isNested(field)) return [`${indent}${strong(label)}${fitted('', width - widthOf(label))}  ${scalar(field)}`.trimEnd()];
    const inner = Array.isArray(field) ? field.flatMap((item: unknown) => bulleted(item, strong, `${indent}  `)) : outlineOf(field, strong, `${indent}  `);
    return [`${indent}${strong(label)}`, ...inner];
  });
}

function bulleted(item: unknown, strong: (text: string) => string, indent: string): string[] {
  const [first = '', ...rest] = outlineOf(item, strong, `${indent}  `);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a field takes lines of its own; empty records and lists do not, nor do short lists of texts. */
function isNested(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.some((item: unknown) => typeof item === 'object' && item !== null) : Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(scalar).join(', ');
  return typeof value === 'object' ? '(empty)' : plain(String(value));
}
