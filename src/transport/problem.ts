/** What an error body says of itself. */
export interface Problem {
  readonly code?: string;
  readonly message?: string;
}

/** Reads code and message out of the common shapes of error bodies. Assumed: A-6. */
export function readProblem(body: unknown): Problem {
  const outer = fieldsOf(body);
  const inner = fieldsOf(outer['error']);
  const code = firstText(inner['code'], outer['code'], outer['errorCode'], outer['type'], typeof outer['message'] === 'string' ? undefined : outer['error'], inner['type']);
  const message = firstText(inner['message'], outer['message'], outer['detail'], outer['title'], outer['error_description'], outer['error']);
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>;
  return typeof value === 'object' && value !== null ? Object.assign(fields, value) : fields;
}

function firstText(...values: readonly unknown[]): string | undefined {
  // Frameworks that check a whole form answer a list of messages.
  const texts = values.map((value) => (Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string').join('; ') : value));
  const found = texts.find((value) => (typeof value === 'string' && value !== '' && value !== 'about:blank') || typeof value === 'number');
  return found === undefined ? undefined : String(found);
}
