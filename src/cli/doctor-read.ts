import { ApiError, Corridor, CorridorError } from '../index.js';
import type { Settings } from './doctor-settings.js';
import type { Finding, Note } from './finding.js';
import { watchedFetch } from './watched-fetch.js';
import type { Secrets } from './secrets.js';

const timeout = 15_000;
/** A Date header counts in whole seconds and travels for a while: less than this is no difference. */
const resolution = 2_000;
const notable = 10_000;
/** The client corrects for a clock that is off by up to a day. */
const beyondRepair = 86_400_000;

/** Makes one signed read, and tells from its answer how the clocks stand. */
export async function checkRead({ baseUrl, apiKey, privateKey, thumbprint }: Settings, failedConnection: string | undefined, secrets: Secrets, note: Note): Promise<void> {
  if (baseUrl === undefined || apiKey === undefined || privateKey === undefined || failedConnection !== undefined) {
    const detail = `needs ${failedConnection ?? 'base URL, API key and private key'}`;
    for (const check of ['signed read', 'clock']) await note({ check, status: 'skipped', detail });
    return;
  }
  let offset: number | undefined;
  let answered = false;
  const fetch = watchedFetch(secrets, (response, began) => {
    answered = true;
    offset ??= offsetOf(response.headers, began);
  });
  const corridor = new Corridor({ baseUrl: baseUrl.href, apiKey, privateKey, fetch, timeout, retries: 0, userAgent: 'corridor-doctor' });
  await note(await signedRead(corridor, thumbprint));
  await note(clockFinding(offset, answered));
}

async function signedRead(corridor: Corridor, thumbprint: string | undefined): Promise<Finding> {
  const check = 'signed read';
  const began = performance.now();
  try {
    const { status, requestId } = await corridor.crypto.networks().withResponse();
    const took = Math.round(performance.now() - began);
    return { check, status: 'ok', detail: `crypto.networks was answered with ${status} in ${took} ms${requestId === undefined ? '' : `, request id ${requestId}`}` };
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    return { check, status: 'failed', detail: error.message, remedy: remedyFor(error, thumbprint) };
  }
}

function remedyFor(error: CorridorError, thumbprint: string | undefined): string {
  const support = error.requestId === undefined ? '' : `, and give it the request id ${error.requestId}`;
  switch (error.code) {
    case 'authentication':
      return `see that the API key is of this platform, and that the public key${thumbprint === undefined ? '' : ` with the thumbprint ${thumbprint}`} is registered for the same organization; else ask the platform${support}`;
    case 'permission':
      return `the credentials are good, but may not do this: ask the platform to allow it${support}`;
    case 'not-found':
      return 'CORRIDOR_BASE_URL may lead to something else: it is the address before /api/v1';
    case 'invalid-response':
      return `what answers is perhaps not the platform: check CORRIDOR_BASE_URL, and whether a proxy stands between${support}`;
    case 'rate-limit':
    case 'server':
      return `try again later; if it stays so, tell the platform${support}`;
    default:
      return error instanceof ApiError ? `ask the platform${support}` : 'check CORRIDOR_BASE_URL and the network between here and the platform';
  }
}

/** How far the platform's clock is ahead of ours, in milliseconds, by an answer that has just come. */
function offsetOf(headers: Headers, began: number): number | undefined {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date) || headers.has('age')) return undefined;
  // In the middle of the second that the header names, and of the time the request took.
  return date + 500 - (began + Date.now()) / 2;
}

function clockFinding(offset: number | undefined, answered: boolean): Finding {
  const check = 'clock';
  if (!answered) return { check, status: 'skipped', detail: 'needs an answer of the platform' };
  if (offset === undefined) return { check, status: 'warning', detail: 'the answer has no Date header, so that a difference cannot be told or corrected', remedy: 'keep the clock of this machine right: tokens live a minute' };
  const off = Math.abs(offset);
  if (off < resolution) return { check, status: 'ok', detail: "in step with the platform's" };
  const detail = `${duration(off)} ${offset > 0 ? 'behind' : 'ahead of'} the platform's`;
  const remedy = 'set the clock of this machine, best by NTP (timedatectl set-ntp true, or the settings of your system)';
  if (off > beyondRepair) return { check, status: 'failed', detail: `${detail}, which is more than the client corrects`, remedy };
  return off < notable ? { check, status: 'ok', detail: `${detail}, which the client corrects` } : { check, status: 'warning', detail: `${detail}; the client corrects it after its first request`, remedy };
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
