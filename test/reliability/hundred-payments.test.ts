import { createPrivateKey } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Corridor,
  MemoryJournal,
  PaymentOutcomeUnknownError,
  type CorridorOptions,
  type PaymentCreateParams,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { selfSigned } from '../support/certificate.ts';
import { privateKey } from '../support/key.ts';
import { serveTlsFaults, tlsFaults, type Respond } from './tls/tls-fault-server.ts';

const certificate = selfSigned(createPrivateKey(privateKey));
const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, certificate]));
afterAll(() => setDefaultCACertificates(trusted));

/** The outcome of a POST. */
type Outcome = 'created' | 'created, 421' | 'created, TLS fault';

const outcomes: readonly Outcome[] = [
  'created, 421',
  'created',
  'created, TLS fault',
  'created, 421',
  'created, TLS fault',
];

/**
 * A platform whose quotes can be used again, so that a second POST makes a second payment, with other partners'
 * payments in its list.
 */
function platformWithOthers(): MockPlatform {
  const platform = createMockPlatform({ quotes: 'reusable' });
  platform.payments.addMany(30);
  return platform;
}

function createParams(platform: MockPlatform, number: number): PaymentCreateParams {
  return platform.payments.createParams({ amount: `${number}.50`, internalReference: `order-${number}` });
}

/** Reaches the platform; every row of the list that is not one of ours lacks its `receiptUrl`. */
function reach(platform: MockPlatform): (...request: Parameters<Respond>) => Promise<Response> {
  const { baseUrl } = platform.clientOptions();
  return async ({ method, path, headers, body }) => {
    const response = await platform.fetch(baseUrl + path, { method, headers, ...(body === '' ? {} : { body }) });
    if (method !== 'GET' || !response.ok) return response;
    const { items, ...rest } = (await response.json()) as {
      readonly items: readonly { readonly internalReference?: string; readonly receiptUrl?: unknown }[];
    };
    const shown = items.map(({ receiptUrl, ...item }) =>
      /^order-\d+$/.test(item.internalReference ?? '') ? { ...item, receiptUrl } : item,
    );
    return Response.json({ ...rest, items: shown }, { headers: response.headers });
  };
}

// Node 26.10 never opens another HTTP/2 session after an encrypted alert, so nothing that follows would reach the
// server.
const faults = tlsFaults.filter((fault) => !fault.startsWith('an encrypted alert'));

/** Applies its outcome to the first POST of each payment, and breaks every fifth read of the list. */
function failing(platform: MockPlatform): Respond {
  const reached = reach(platform);
  const posted = new Set<string>();
  let reads = 0;
  let broken = 0;
  const tlsFault = (): string => faults[(broken += 1) % faults.length] as string;
  return async (request) => {
    if (request.method === 'GET') {
      reads += 1;
      if (reads % 10 === 5) return new Response('{}', { status: 421 });
      return reads % 10 === 0 ? tlsFault() : reached(request);
    }
    const outcome: Outcome = posted.has(request.body)
      ? 'created'
      : (outcomes[posted.size % outcomes.length] as Outcome);
    posted.add(request.body);
    const response = await reached(request);
    if (outcome === 'created' || !response.ok) return response;
    return outcome === 'created, 421' ? new Response('{}', { status: 421 }) : tlsFault();
  };
}

/** Pauses end at once, and limits never. */
const sleep: NonNullable<CorridorOptions['sleep']> = (milliseconds, signal) =>
  milliseconds < 5_000
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

// Hundreds of TLS handshakes take seconds on an idle machine, and longer on a busy one.
describe(
  'a hundred payments to a platform that responds with 421, breaks TLS and omits a field of other payments',
  {
    timeout: 300_000,
  },
  () => {
    it.each([
      { protocol: 'http/1.1', concurrency: 20 },
      // A fault breaks everything on its connection: other POSTs are lost, and Node 26.10 leaves some requests without an
      // end.
      { protocol: 'h2', concurrency: 1 },
    ] as const)(
      'over $protocol, each quote is paid once, and no journal entry stays pending',
      async ({ protocol, concurrency }) => {
        const platform = platformWithOthers();
        const journal = new MemoryJournal();
        const clientOf = ({ url }: { readonly url: string }, send: typeof fetch = fetch) => {
          const { apiKey, privateKey: key } = platform.clientOptions();
          // Node gives up a connection after 10 s, and a busy machine may need as long for many.
          const patience = { maxRetries: 10, totalTimeout: 600_000 };
          return new Corridor({
            baseUrl: url,
            fetch: send,
            apiKey,
            privateKey: key,
            journal,
            sleep,
            concurrency,
            ...patience,
          });
        };
        const payments = Array.from({ length: 100 }, (_, index) => createParams(platform, index + 1));

        await using faulty = await serveTlsFaults(protocol, privateKey, certificate, failing(platform));
        const corridor = clientOf(faulty);
        const ends = await Promise.allSettled(
          payments.map((payment) => corridor.payments.createOnce(payment, { consistencyWindow: 0 })),
        );
        for (const end of ends)
          if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(PaymentOutcomeUnknownError);

        await using recovered = await serveTlsFaults(protocol, privateKey, certificate, reach(platform));
        // The platform of the journal's entries, at another address.
        const next = clientOf(faulty, (url, init) => fetch(String(url).replace(faulty.url, recovered.url), init));
        const recoveries = await next.payments.reconcilePending();
        expect(recoveries.filter(({ status }) => status !== 'created')).toEqual([]);
        expect(await journal.listPending()).toEqual([]);

        const paid = platform.payments.all().filter(({ internalReference }) => internalReference?.startsWith('order-'));
        expect(paid.map(({ paymentQuoteId }) => paymentQuoteId).toSorted()).toEqual(
          payments.map(({ paymentQuoteId }) => paymentQuoteId).toSorted(),
        );
        const idOf = ({ paymentQuoteId }: PaymentCreateParams) =>
          paid.find((payment) => payment.paymentQuoteId === paymentQuoteId)?.id;
        for (const [index, payment] of payments.entries()) {
          const end = ends[index];
          if (end?.status === 'fulfilled')
            expect(end.value).toMatchObject({ payment: { id: idOf(payment) }, created: true });
        }
        for (const payment of payments.slice(0, 10))
          expect(await next.payments.createOnce(payment)).toMatchObject({
            payment: { id: idOf(payment) },
            created: false,
          });
        expect(faulty.posts.map(({ fault }) => fault).toSorted()).toEqual(
          payments.map(({ internalReference }) => internalReference).toSorted(),
        );
        expect(recovered.posts).toEqual([]);
      },
    );
  },
);
