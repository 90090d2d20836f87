import { ApiError, Corridor, CorridorError } from '../../index.js';
import type { Settings } from './credentials.js';
import { clockOffset, describeClock, type CheckResult, type ReportCheck } from '../check.js';
import { redactingFetch, type Secrets } from '../redact.js';

const timeout = 15_000;

/** Makes one signed read, and compares the clocks by its response. */
export async function checkRead(
  { baseUrl, apiKey, key, thumbprint }: Settings,
  failed: string | undefined,
  secrets: Secrets,
  report: ReportCheck,
): Promise<void> {
  if (baseUrl === undefined || apiKey === undefined || key === undefined || failed !== undefined) {
    const detail = `needs ${failed ?? 'base URL, API key and private key'}`;
    for (const check of ['signed read', 'clock']) await report({ check, status: 'skipped', detail });
    return;
  }
  let offset: number | undefined;
  let responded = false;
  const fetch = redactingFetch(secrets, (response, startedAt) => {
    responded = true;
    offset ??= clockOffset(response.headers, startedAt, Date.now());
  });
  const corridor = new Corridor({
    baseUrl: baseUrl.href,
    apiKey,
    ...key,
    fetch,
    timeout,
    maxRetries: 0,
    userAgent: 'corridor-doctor',
  });
  await report(await signedRead(corridor, thumbprint));
  await report(
    responded
      ? describeClock(offset)
      : { check: 'clock', status: 'skipped', detail: 'needs a response from the platform' },
  );
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
      detail: `crypto.networks returned ${status} in ${took} ms${requestId === undefined ? '' : `, request id ${requestId}`}`,
    };
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    // The last sentence of the message is the client's fix.
    const detail = error.message.replace(/\)\. [^()]*$/, ')');
    return { check, status: 'failed', detail, remedy: remedyFor(error, thumbprint) };
  }
}

function remedyFor(error: CorridorError, thumbprint: string | undefined): string {
  const support = error.requestId === undefined ? '' : ` with the request id ${error.requestId}`;
  switch (error.code) {
    case 'authentication':
      return `check that the API key belongs to this platform and that the public key${thumbprint === undefined ? '' : ` with the thumbprint ${thumbprint}`} is registered for the same organization; otherwise ask the platform${support}`;
    case 'permission':
      return `the credentials are valid but lack permission: ask the platform to allow this call${support}`;
    case 'not-found':
      return 'CORRIDOR_BASE_URL may be wrong: set the address without /api/v1';
    case 'invalid-response':
      return `the response may not come from the platform: check CORRIDOR_BASE_URL and any proxy${support}`;
    case 'rate-limit':
    case 'server':
      return `try again later; if the problem persists, report it to the platform${support}`;
    default:
      return error instanceof ApiError
        ? `ask the platform${support}`
        : 'check CORRIDOR_BASE_URL and the network between this machine and the platform';
  }
}
