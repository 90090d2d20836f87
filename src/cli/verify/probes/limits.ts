import { RateLimitError } from '../../../index.js';
import { confirmed, contradicted, contradictedWithoutValue, notTestable, type Probe } from '../probe.js';
import { reasonOf } from '../dry-run.js';
import { describeResponse, requestOf, type ReceivedResponse, type Session } from '../session.js';

/** The longest wait for a new window, in seconds. */
const maxWait = 120;
const maxRequestBytes = 1_048_576;

interface Burst {
  readonly accepted: number;
  /** The delay of the 429 in seconds; undefined if there was no 429, or if it has no delay. */
  readonly retryAfter: number | undefined;
  readonly isLimited: boolean;
  readonly seconds: number;
  readonly requestId: string | undefined;
}

/** Reads until the platform limits the requests. */
async function burst(session: Session): Promise<Burst> {
  const corridor = session.clientWith({ maxRetries: 0 });
  const { maxBurst } = session.settings;
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  for (let accepted = 0; accepted < maxBurst; accepted += 1) {
    try {
      await session.call('crypto.networks', {}, corridor);
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      const { retryAfter, requestId } = error;
      return { accepted, retryAfter, isLimited: true, seconds: elapsed(), requestId };
    }
  }
  return { accepted: maxBurst, retryAfter: undefined, isLimited: false, seconds: elapsed(), requestId: undefined };
}

/** The probe of rate limits, which comes last: the platform may limit every request after it. */
export const rateLimitProbe: Probe = {
  row: 'A-12',
  question: 'rate limits',
  settings: ['behavior.rateLimit'],
  async run(session) {
    const meaning = 'The client retries a 429 after its Retry-After. Set rateLimit to stay below the limit.';
    if (!session.settings.permissions.has('probe-limits')) {
      return session.throttled === 0
        ? notTestable('needs --probe-limits; no request of this run was limited')
        : contradictedWithoutValue(`${session.throttled} of ${session.requests} requests got a 429`, meaning);
    }
    const first = await burst(session);
    if (!first.isLimited)
      return confirmed(`no limit within ${first.accepted} requests in ${Math.ceil(first.seconds)} s`);
    const { retryAfter, requestId } = first;
    if (retryAfter === undefined || retryAfter > maxWait)
      return contradictedWithoutValue(
        `429 after ${first.accepted} requests, Retry-After ${retryAfter ?? 'missing'}, ${requestOf(requestId).join()}`,
        meaning,
      );
    // The first window began before the burst: only the next one shows the whole limit.
    await session.sleep(retryAfter * 1000);
    const second = await burst(session);
    const span = windowOf(Math.floor(second.seconds) + (second.retryAfter ?? retryAfter));
    const evidence = second.isLimited
      ? `429 after ${second.accepted} requests, Retry-After ${second.retryAfter ?? 'missing'}, ${requestOf(second.requestId).join()}`
      : `429 after ${first.accepted} requests, ${requestOf(requestId).join()}; no 429 within ${second.accepted} requests of a second burst`;
    return second.isLimited && second.accepted > 0 && span > 0
      ? contradicted(evidence, meaning, {
          behavior: { rateLimit: { requests: second.accepted, per: { seconds: span } } },
        })
      : contradictedWithoutValue(evidence, meaning);
  },
};

/** Returns the usual length of a window that is at most a second from the measured one. */
const windowOf = (measured: number): number =>
  [1, 5, 10, 15, 30, 60, 300].find((seconds) => Math.abs(seconds - measured) <= 1) ?? measured;

const sizes = [64 * 1024, 256 * 1024, 512 * 1024, maxRequestBytes, maxRequestBytes + 1, 4 * maxRequestBytes];

/** The probe of the size of a request. */
export const requestSizeProbe: Probe = {
  row: 'A-29',
  question: 'the maximum size of a request',
  needs: ['writes', 'probe-limits'],
  settings: ['behavior.maxRequestBytes'],
  async run(session) {
    const small = await sendBody(session, 1024);
    let largest = 0;
    for (const size of sizes) {
      const response = await sendBody(session, size);
      if (reasonOf(response) === reasonOf(small)) {
        largest = size;
        continue;
      }
      session.noteError('body_too_large', response);
      const evidence = `${largest} bytes as 1 KiB, ${size} bytes: ${describeResponse(response)}`;
      if (largest === maxRequestBytes) return confirmed(evidence);
      return contradicted(
        evidence,
        'No request of the client is that large. Your tests should see the same limit.',
        largest === 0 ? undefined : { behavior: { maxRequestBytes: largest } },
      );
    }
    return contradicted(
      `no limit up to ${largest} bytes`,
      'The platform reads larger requests than the mock. No request of the client is that large.',
      { behavior: { maxRequestBytes: largest } },
    );
  },
};

/** Sends a body of a size, which is no payment. */
function sendBody(session: Session, size: number): Promise<ReceivedResponse> {
  const overhead = JSON.stringify({ padding: '' }).length;
  return session.pay({ padding: 'x'.repeat(size - overhead) }, 'invalid');
}
