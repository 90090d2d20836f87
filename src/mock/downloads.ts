import { shownFile, pdf, type MockFile } from './files.js';
import { fingerprint } from './random.js';
import type { OrganizationState, PlatformState } from './state.js';

/** What can be downloaded: a document, a ticket's attachment, a payment's receipt. */
export type DownloadKind = 'documents' | 'attachments' | 'receipts';

/** Below the base URL, beside the API: these paths take no credentials, their signature is the permission. */
const prefix = '/downloads/';

/** A URL that gives a file to whoever has it, until it expires; one without an expiry stays good. */
export function signedUrl(organization: OrganizationState, base: string, kind: DownloadKind, ids: readonly string[], expires?: number): string {
  const path = [organization.id, kind, ...ids].map(encodeURIComponent).join('/');
  const expiry = expires === undefined ? 'never' : String(expires);
  return `${base}${prefix}${path}?expires=${expiry}&signature=${signature(organization, path, expiry)}`;
}

/** A URL that expires after the platform's `urlLifetime`, as its answers carry it. */
export function temporaryUrl(organization: OrganizationState, base: string, kind: DownloadKind, ids: readonly string[]): { url: string; expiresAt: string } {
  const { clock, options } = organization.platform;
  const expires = clock.now() + options.urlLifetime * 1000;
  return { url: signedUrl(organization, base, kind, ids, expires), expiresAt: new Date(expires).toISOString() };
}

/** Not for secrecy: enough that a changed path or expiry is noticed. */
function signature(organization: OrganizationState, path: string, expiry: string): string {
  return fingerprint(`${organization.platform.options.seed}/${organization.apiKey}/${path}/${expiry}`);
}

/** What a download comes to: the file, or why there is none. */
export type Download = { readonly organization: OrganizationState; readonly file: MockFile } | { readonly status: 403 | 404; readonly code: string; readonly message: string };

/** Whether a path is that of a download. */
export function isDownload(path: string): boolean {
  return path.startsWith(prefix);
}

/** Looks a download up. */
export function download(platform: PlatformState, path: string, query: URLSearchParams): Download {
  const signed = path.slice(prefix.length);
  const [organizationId, kind, ...ids] = signed.split('/').map(decoded);
  const organization = platform.organizations.find(({ id }) => id === organizationId);
  const expiry = query.get('expires') ?? '';
  if (organization === undefined || query.get('signature') !== signature(organization, signed, expiry)) {
    return { status: 403, code: 'bad_url_signature', message: 'the signature of this URL does not fit it' };
  }
  const late = platform.clock.now() - Number(expiry);
  if (expiry !== 'never' && late >= 0) {
    return { status: 403, code: 'url_expired', message: `this URL expired ${Math.floor(late / 1000)} s ago on the mock's clock` };
  }
  organization.settle();
  const file = fileOf(organization, kind as DownloadKind, ids);
  return file === undefined ? { status: 404, code: 'not_found', message: 'this file is no longer there' } : { organization, file };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function fileOf(organization: OrganizationState, kind: DownloadKind, [first = '', second = '']: readonly string[]): MockFile | undefined {
  if (kind === 'receipts') {
    const payment = organization.payments.get(first);
    return payment && { fileName: `receipt-${first}.pdf`, contentType: 'application/pdf', content: pdf(`Receipt for ${payment.record.amount} ${payment.record.currencyCode}`) };
  }
  const stored = kind === 'documents'
    ? organization.documents.get(first)
    : organization.tickets.get(first)?.attachments.find(({ id }) => id === second);
  return stored && shownFile(stored);
}
