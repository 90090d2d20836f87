import { ApiError, Corridor, CorridorError, type ErrorCode } from '../../index.js';
import type { Credentials } from './credentials.js';
import { clockOffset, describeClock, type CheckResult, type ReportCheck } from './check.js';
import { redactingFetch } from '../create-client.js';
import type { Secrets } from '../secrets.js';

const timeout = 15_000;

/** Makes one signed read, and compares the clocks by its response. */
export async function checkRead(
  credentials: Credentials | undefined,
  secrets: Secrets,
  report: ReportCheck,
): Promise<void> {
  const skipped = { check: 'clock', status: 'skipped', detail: 'needs a response from the platform' } as const;
  if (credentials === undefined) {
    await report({ check: 'signed read', status: 'skipped', detail: 'needs the settings above' });
    return report(skipped);
  }
  let offset: number | undefined;
  let responded = false;
  const fetch = redactingFetch(secrets, (response, startedAt) => {
    responded = true;
    offset ??= clockOffset(response.headers, startedAt, Date.now());
  });
  const client = { ...credentials.client, fetch, timeout, maxRetries: 0, userAgent: 'corridor-doctor' };
  await report(await signedRead(new Corridor(client), credentials.thumbprint));
  await report(responded ? describeClock(offset) : skipped);
}

async function signedRead(corridor: Corridor, thumbprint: string | undefined): Promise<CheckResult> {
  const check = 'signed read';
  const startedAt = performance.now();
  try {
    const { status, requestId } = await corridor.crypto.networks().withResponse();
    const took = Math.round(performance.now() - startedAt);
    return {
      check,
      status: 'ok',
      detail:
        `crypto.networks returned ${status} in ${took} ms` +
        `${requestId === undefined ? '' : `, request id ${requestId}`}`,
    };
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    // The last sentence of the message is the client's fix.
    const [, detail = error.message, fix] = /^(.*\))\. ([^()]*)$/s.exec(error.message) ?? [];
    return { check, status: 'failed', detail, remedy: remedyFor(error, fix, thumbprint) };
  }
}

function remedyFor(error: CorridorError, fix: string | undefined, thumbprint: string | undefined): string {
  const support = error.requestId === undefined ? '' : ` with the request id ${error.requestId}`;
  const later = `Try again later; if the problem persists, report it to the platform${support}`;
  const remedies: Partial<Record<ErrorCode, string>> = {
    authentication:
      'Check that the API key belongs to this platform and that the public key' +
      `${thumbprint === undefined ? '' : ` with the thumbprint ${thumbprint}`} is ` +
      `registered for the same organization; otherwise ask the platform${support}`,
    permission: `Ask the platform to allow this call${support}: the credentials are valid but lack permission`,
    'not-found': 'Set CORRIDOR_BASE_URL without /api/v1: it may be wrong',
    'invalid-response': `Check CORRIDOR_BASE_URL and any proxy: the response may not come from the platform${support}`,
    'rate-limit': later,
    server: later,
  };
  const remedy = remedies[error.code] ?? (error instanceof ApiError ? `Ask the platform${support}` : undefined);
  if (remedy !== undefined) return remedy;
  const { code: cause = '' } = Object(error.cause) as { readonly code?: string };
  return /SELF_SIGNED|UNABLE_TO/.test(cause)
    ? 'If your network inspects TLS, set NODE_EXTRA_CA_CERTS to its authority; otherwise check ' +
        'CORRIDOR_BASE_URL: no authority that this machine trusts has signed the certificate'
    : (fix?.replace('baseUrl', 'CORRIDOR_BASE_URL') ??
        'Check CORRIDOR_BASE_URL and the network between this machine and the platform');
}
