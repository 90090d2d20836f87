/** The code and the message of an error body. */
export interface ParsedErrorBody {
  readonly code?: string;
  readonly message?: string;
}

/** Reads code and message from the common shapes of error bodies. Assumed: A-6. */
export function parseErrorBody(body: unknown): ParsedErrorBody {
  const outer = toRecord(body);
  const inner = toRecord(outer['error']);
  const code = firstString(
    inner['code'],
    outer['code'],
    outer['errorCode'],
    outer['type'],
    typeof outer['message'] === 'string' ? undefined : outer['error'],
    inner['type'],
  );
  const message = firstString(
    inner['message'],
    outer['message'],
    outer['detail'],
    outer['title'],
    outer['error_description'],
    outer['error'],
  );
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
}

function toRecord(value: unknown): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>;
  return typeof value === 'object' && value !== null ? Object.assign(fields, value) : fields;
}

function firstString(...values: readonly unknown[]): string | undefined {
  // Frameworks that validate whole forms return an array of messages.
  const candidates = values.map((value) =>
    Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string').join('; ') : value,
  );
  const found = candidates.find(
    (value) => (typeof value === 'string' && value !== '' && value !== 'about:blank') || typeof value === 'number',
  );
  return found === undefined ? undefined : String(found);
}
