import type { EndpointName } from '../../contract/endpoints.js';
import { fieldsOfList, valueAt } from '../print/table.js';

/**
 * Returns the columns of the records of a list: all fields, those of objects by their path. The authorization of a
 * payment, which repeats its fields, is left out.
 */
export function columnsOf(name: EndpointName): readonly string[] {
  const fields = [...new Set(fieldsOfList(name))];
  return fields.filter(
    (field) => !field.startsWith('authorization') && !fields.some((other) => other.startsWith(`${field}.`)),
  );
}

/**
 * Returns a record as a line of CSV. As `text`, what a spreadsheet would read as a formula begins with an apostrophe; a
 * negative number is none.
 */
export function csvRecord(columns: readonly string[], record: unknown, formulas: 'keep' | 'text'): string {
  return csvLine(
    columns.map((path) => {
      const value = valueAt(record, path);
      const text =
        typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
      return formulas === 'text' && /^[=+\-@\t\r\n]/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
    }),
  );
}

/** Formats values by RFC 4180. */
export function csvLine(values: readonly string[]): string {
  const quoted = values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return `${quoted.join(',')}\r\n`;
}
