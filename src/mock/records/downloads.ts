import { toFileView, pdf, type MockFile } from '../data/files.js';
import { fingerprint } from '../data/random.js';
import type { PlatformState, OrganizationState } from '../state/platform-state.js';
import { HttpError } from '../wire/http-error.js';

/** The kinds of files: documents, attachments of tickets, receipts of payments. */
export type DownloadKind = 'documents' | 'attachments' | 'receipts';

/** The path of downloads below the base URL. They need no credentials: the signature of the URL authorizes them. */
const prefix = '/downloads/';

/** Creates a signed URL of a file. Without `expires` it never expires. */
export function signedUrl(
  organization: OrganizationState,
  base: string,
  kind: DownloadKind,
  ids: readonly string[],
  expires?: number,
): string {
  const path = [organization.id, kind, ...ids].map(encodeURIComponent).join('/');
  const expiry = expires === undefined ? 'never' : String(expires);
  return `${base}${prefix}${path}?expires=${expiry}&signature=${signature(organization, path, expiry)}`;
}

/** Creates a signed URL that expires after the platform's `urlLifetime`, as a response body. */
export function temporaryUrl(
  organization: OrganizationState,
  base: string,
  kind: DownloadKind,
  ids: readonly string[],
): { url: string; expiresAt: string } {
  const { clock, options } = organization;
  const expires = clock.now() + options.urlLifetime * 1000;
  return { url: signedUrl(organization, base, kind, ids, expires), expiresAt: new Date(expires).toISOString() };
}

/** Signs a path and an expiry. Not secure: it only detects changes. */
function signature(organization: OrganizationState, path: string, expiry: string): string {
  return fingerprint(`${organization.options.seed}/${organization.apiKey}/${path}/${expiry}`);
}

/** Returns whether a path is the path of a download. */
export function isDownload(path: string): boolean {
  return path.startsWith(prefix);
}

/** Returns the file of a signed URL. Throws an `HttpError` if the URL is invalid or the file does not exist. */
export function findDownload(
  platform: PlatformState,
  path: string,
  query: URLSearchParams,
): { readonly organization: OrganizationState; readonly file: MockFile } {
  const signed = path.slice(prefix.length);
  const [organizationId, kind, ...ids] = signed.split('/').map(decoded);
  const organization = platform.organizations.find(({ id }) => id === organizationId);
  const expiry = query.get('expires') ?? '';
  if (organization === undefined || query.get('signature') !== signature(organization, signed, expiry))
    throw new HttpError(403, 'bad_url_signature', 'the signature of this URL does not match its path and expiry');
  const overdue = organization.clock.now() - Number(expiry);
  if (expiry !== 'never' && overdue >= 0)
    throw new HttpError(403, 'url_expired', `this URL expired ${Math.floor(overdue / 1000)} s ago on the mock's clock`);
  const file = fileOf(organization, kind as DownloadKind, ids);
  if (file === undefined) throw new HttpError(404, 'not_found', 'this file no longer exists');
  return { organization, file };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function fileOf(
  organization: OrganizationState,
  kind: DownloadKind,
  [first = '', second = '']: readonly string[],
): MockFile | undefined {
  if (kind === 'receipts') {
    const payment = organization.payments.get(first);
    return (
      payment && {
        fileName: `receipt-${first}.pdf`,
        contentType: 'application/pdf',
        content: pdf(`Receipt for ${payment.record.amount} ${payment.record.currencyCode}`),
      }
    );
  }
  const stored =
    kind === 'documents'
      ? organization.documents.get(first)
      : organization.tickets.get(first)?.attachments.find(({ id }) => id === second);
  return stored && toFileView(stored);
}
