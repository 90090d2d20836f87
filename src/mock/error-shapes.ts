import type { Refusal } from './refusal.js';
import type { MockChoice } from './switches.js';

/** An error body and its media type. */
interface ErrorShape {
  readonly body: object;
  readonly contentType: string;
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 409: 'Conflict', 413: 'Content Too Large', 415: 'Unsupported Media Type',
  422: 'Unprocessable Content', 429: 'Too Many Requests', 500: 'Internal Server Error', 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout',
};

/** A refusal in one of the common shapes. Assumed: A-6. */
export function errorBodyOf(shape: MockChoice<'errorBody'>, { status, code, message, issues }: Refusal): ErrorShape {
  const details = issues.length === 0 ? {} : { issues };
  const title = titles[status] ?? `Status ${status}`;
  const json = (body: object): ErrorShape => ({ body, contentType: 'application/json' });
  switch (shape) {
    case 'plain': return json({ code, message, ...details });
    case 'nested': return json({ error: { code, message, ...details } });
    case 'status-code': return json({ statusCode: status, message, error: title, ...details });
    case 'problem+json': return { body: { type: 'about:blank', title, status, detail: message, code, ...details }, contentType: 'application/problem+json' };
    default: return shape satisfies never;
  }
}
