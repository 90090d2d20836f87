import { toFileView, pdf, type MockFile } from '../data/files.js';
import { fingerprint } from '../data/random.js';
import type { PlatformState, OrganizationState } from '../state/platform.js';

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
  const { clock, options } = organization.platform;
  const expires = clock.now() + options.urlLifetime * 1000;
  return { url: signedUrl(organization, base, kind, ids, expires), expiresAt: new Date(expires).toISOString() };
}

/** Signs a path and an expiry. Not secure: it only detects changes. */
function signature(organization: OrganizationState, path: string, expiry: string): string {
  return fingerprint(`${organization.platform.options.seed}/${organization.apiKey}/${path}/${expiry}`);
}

/** The file of a signed URL, or the error. */
export type Download =
  | { readonly organization: OrganizationState; readonly file: MockFile }
  | { readonly status: 403 | 404; readonly code: string; readonly message: string };

/** Returns whether a path is the path of a download. */
export function isDownload(path: string): boolean {
  return path.startsWith(prefix);
}

/** Returns the file of a signed URL, or the error. */
export function findDownload(platform: PlatformState, path: string, query: URLSearchParams): Download {
  const signed = path.slice(prefix.length);
  const [organizationId, kind, ...ids] = signed.split('/').map(decoded);
  const organization = platform.organizations.find(({ id }) => id === organizationId);
  const expiry = query.get('expires') ?? '';
  if (organization === undefined || query.get('signature') !== signature(organization, signed, expiry)) {
    return {
      status: 403,
      code: 'bad_url_signature',
      message: 'the signature of this URL does not match its path and expiry',
    };
  }
  const overdue = platform.clock.now() - Number(expiry);
  if (expiry !== 'never' && overdue >= 0) {
    return {
      status: 403,
      code: 'url_expired',
      message: `this URL expired ${Math.floor(overdue / 1000)} s ago on the mock's clock`,
    };
  }
  organization.runDueEvents();
  const file = fileOf(organization, kind as DownloadKind, ids);
  return file === undefined
    ? { status: 404, code: 'not_found', message: 'this file no longer exists' }
    : { organization, file };
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
