import type { RecordedRequest } from '../../mock/index.js';
import { jsonText } from '../print/text.js';

/** A request in the log of the command. */
interface LoggedRequest {
  readonly time: string;
  readonly organization: string | null;
  readonly method: string;
  /** Without the query, which can contain signatures. */
  readonly path: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly fault: string | null;
  readonly milliseconds: number;
}

/** Formats a request as one line: columns, or JSON. Contains no credentials and no bodies. */
export function requestLine(request: RecordedRequest, duration: number, isJson: boolean): string {
  const logged = loggedRequest(request, duration);
  if (isJson) return jsonText(logged);
  const { time, organization, method, path, status, error, fault, milliseconds } = logged;
  const notes = [error ?? [], fault === null ? [] : `fault:${fault}`].flat().join(' ');
  // Escapes the control characters that the path may contain.
  const safePath = jsonText(path).slice(1, -1);
  return `${time} ${organization ?? '-'} ${method} ${safePath} ${status ?? '-'} ${notes === '' ? '-' : notes} ${milliseconds}ms`;
}

function loggedRequest(request: RecordedRequest, duration: number): LoggedRequest {
  const { organization, method, path, status, error, fault } = request;
  return {
    time: new Date().toISOString(),
    organization: organization ?? null,
    method,
    path,
    status: status ?? null,
    error: error?.code ?? null,
    fault: fault ?? null,
    milliseconds: Math.round(duration),
  };
}
