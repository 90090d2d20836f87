/** A record with one thing changed. */
export interface ChangedRecord {
  /** The change and its path: `gone: items[0].status`. */
  readonly what: string;
  readonly record: unknown;
}

type Path = readonly (string | number)[];

/**
 * A record in every way in which one place of it can be gone, null, of another type, of another value, or joined by
 * something new.
 */
export function changedRecords(record: unknown): ChangedRecord[] {
  return placesIn(record).flatMap(({ path, value }) => {
    const at = path.reduce<string>(
      (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
      '',
    );
    const put = (what: string, replacement: unknown): ChangedRecord[] =>
      path.length === 0 ? [] : [{ what: `${what}: ${at}`, record: changed(record, path, replacement) }];
    return [
      ...(typeof path.at(-1) === 'string' ? put('gone', gone) : []),
      ...(value === null ? [] : put('null', null)),
      ...put('another type', typeof value === 'number' ? '1' : 1),
      ...put('another type', typeof value === 'boolean' ? {} : true),
      ...(typeof value === 'object' && value !== null ? put('another type', isRecord(value) ? [] : {}) : []),
      ...(typeof value === 'string' ? put('another value', 'SOMETHING_NEW') : []),
      ...(typeof value === 'number' ? put('no integer', 0.5) : []),
      ...(isRecord(value)
        ? [{ what: `new field: ${at}`, record: changed(record, path, { ...value, somethingNew: [1] }) }]
        : []),
    ];
  });
}

const gone = Symbol('gone');

/** Every place in a record; of a list its first and its last. */
function placesIn(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  const inner: [string | number, unknown][] = Array.isArray(value)
    ? [...new Set([0, value.length - 1])]
        .filter((index) => index in value)
        .map((index) => [index, value[index] as unknown])
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return [{ path, value }, ...inner.flatMap(([key, item]) => placesIn(item, [...path, key]))];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changed(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  if (rest.length === 0 && replacement === gone) delete copy[key];
  else copy[key] = changed(copy[key], rest, replacement);
  return copy;
}
