import { InvalidRequestError, type Issue } from '../errors.js';

/** Fills the ids into a path, each as one segment: whatever an id holds, it cannot change which endpoint is reached. */
export function fillPath(endpoint: string, template: string, ids: Readonly<Record<string, unknown>>): string {
  const issues: Issue[] = [];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const message = idRule(ids[name]);
    if (message !== undefined) issues.push({ path: name, message });
    return message === undefined ? encodeURIComponent(ids[name] as string) : '';
  });
  if (issues.length > 0) throw new InvalidRequestError(endpoint, issues);
  return path;
}

function idRule(id: unknown): string | undefined {
  if (typeof id !== 'string') return `must be a string (got ${id === null ? 'null' : typeof id})`;
  if (id === '') return 'must not be empty';
  // URL parsers take these two away, percent-encoded or not: the request would reach another endpoint.
  if (id === '.' || id === '..') return 'must not be "." or ".."';
  if (!id.isWellFormed()) return 'must be well-formed Unicode (no lone surrogates)';
  return undefined;
}

/** Refuses a path of the escape hatch that could leave the base URL or be read in two ways. */
export function checkPath(path: unknown): string {
  const refuse = (message: string): never => {
    throw new InvalidRequestError('request', [{ path: 'path', message }]);
  };
  if (typeof path !== 'string' || !path.startsWith('/')) return refuse('must be a string that starts with "/", such as "/api/v1/customers"');
  if (/[?#]/.test(path)) return refuse('must not hold "?" or "#": give filters as query');
  if (/[\\\s\p{Cc}]/u.test(path) || !path.isWellFormed()) return refuse('must not hold backslashes, white space, control characters or lone surrogates: percent-encode them');
  if (path.split('/').slice(1).some((segment) => segment === '' || /^(\.|%2e){1,2}$/i.test(segment))) {
    return refuse('must not hold empty, "." or ".." segments');
  }
  // The token is signed for the path as sent: one that URL parsers would rewrite could never match.
  if (/%(?![0-9a-f]{2})/i.test(path) || new URL(`http://localhost${path}`).pathname !== path) return refuse('must be percent-encoded');
  return path;
}
