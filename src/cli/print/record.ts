import { padOrTruncate, toPrintable, widthOf } from './text.js';

/** Formats a record as lines, one field per line, with nested records indented. */
export function formatRecord(value: unknown, strong: (text: string) => string, indent = ''): string[] {
  if (!isRecord(value)) return [`${indent}${scalar(value)}`];
  const fields = Object.entries(value);
  const width = Math.max(
    0,
    ...fields.filter(([, field]) => !isNested(field)).map(([name]) => widthOf(toPrintable(name))),
  );
  return fields.flatMap(([name, field]) => {
    const label = toPrintable(name);
    if (!isNested(field))
      return [`${indent}${strong(label)}${padOrTruncate('', width - widthOf(label))}  ${scalar(field)}`.trimEnd()];
    const inner = Array.isArray(field)
      ? field.flatMap((item: unknown) => formatItem(item, strong, `${indent}  `))
      : formatRecord(field, strong, `${indent}  `);
    return [`${indent}${strong(label)}`, ...inner];
  });
}

function formatItem(item: unknown, strong: (text: string) => string, indent: string): string[] {
  const [first = '', ...rest] = formatRecord(item, strong, `${indent}  `);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks whether a field needs several lines: a record with fields, or an array of objects. */
function isNested(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.some((item: unknown) => typeof item === 'object' && item !== null)
    : Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(scalar).join(', ');
  return typeof value === 'object' ? '(empty)' : toPrintable(String(value));
}
