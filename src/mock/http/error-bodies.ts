import type { HttpError } from './http-error.js';
import type { ResolvedBehavior } from '../behavior.js';

/** An error body and its media type. */
interface ErrorBodyFormat {
  readonly body: object;
  readonly contentType: string;
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Formats an error in one of the common shapes. Assumed: A-6. */
export function formatErrorBody(
  shape: ResolvedBehavior['errorBody'],
  { status, code, message, issues }: Pick<HttpError, 'status' | 'code' | 'message' | 'issues'>,
): ErrorBodyFormat {
  const details = issues.length === 0 ? {} : { issues };
  const title = titles[status] ?? `Status ${status}`;
  const json = (body: object): ErrorBodyFormat => ({ body, contentType: 'application/json' });
  switch (shape) {
    case 'plain':
      return json({ code, message, ...details });
    case 'nested':
      return json({ error: { code, message, ...details } });
    case 'status-code':
      return json({ statusCode: status, message, error: title, ...details });
    case 'problem+json':
      return {
        body: { type: 'about:blank', title, status, detail: message, code, ...details },
        contentType: 'application/problem+json',
      };
    default:
      return shape satisfies never;
  }
}
