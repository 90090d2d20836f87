import { recordColumns } from '../../presentation/columns.js';
import { endpoints, isEndpointName, type EndpointDefinition, type EndpointName } from '../../contract/endpoints.js';
import { listedFields } from '../../contract/request-fields.js';
import { statusTones } from '../../presentation/status-tones.js';
import type { Output } from '../terminal.js';
import { pad, toPrintable, widthOf } from './text.js';

/** Returns the paths of the fields of the records of a list; none if the call returns no list. */
export function fieldsOfList(name: EndpointName): readonly string[] {
  const { result }: EndpointDefinition<unknown> = endpoints[name];
  return result === undefined ? [] : listedFields(result());
}

/** Returns the columns of a list, the id first; undefined if the call returns none. */
export function columnsOf(name: string): readonly string[] | undefined {
  if (!isEndpointName(name)) return undefined;
  const { records }: EndpointDefinition<unknown> = endpoints[name];
  const fields = fieldsOfList(name);
  if (fields.length === 0) return undefined;
  if (records === undefined) return fields.filter((path) => !path.includes('.'));
  return fields.includes('id') ? ['id', ...recordColumns[records]] : recordColumns[records];
}

/** Returns the value of a record at a path such as `beneficiary.companyName`. */
export function valueAt(record: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Readonly<Record<string, unknown>>)[key]
          : undefined,
      record,
    );
}

const colors = { good: 'green', bad: 'red', warn: 'yellow', info: 'cyan', neutral: 'dim' } as const;

/** Formats records as aligned lines with a header. No value is shortened. */
export function formatTable(items: readonly unknown[], paths: readonly string[], output: Output): string[] {
  const formatted = paths.map((path) => {
    const cells = items.map((item) => cellText(valueAt(item, path)));
    const align = cells.every((text) => /^-?[\d.]*$/.test(text)) ? 'right' : 'left';
    // No spread: a call with more than about 125,000 arguments overflows the stack.
    const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), widthOf(path));
    return [path, ...cells].map((cell, index): string => {
      const padded = pad(cell, width, align);
      return index > 0 && /(?:^|\.)status$|Status$/.test(path) && Object.hasOwn(statusTones, cell)
        ? padded.replace(cell, output.style(colors[statusTones[cell as keyof typeof statusTones]], cell))
        : padded;
    });
  });
  const [header = '', ...rows] = [undefined, ...items].map((_, index) =>
    formatted
      .map((cells) => cells[index])
      .join('  ')
      .trimEnd(),
  );
  return [output.style('bold', header), ...rows];
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return toPrintable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
