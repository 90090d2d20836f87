import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  AuthenticationError,
  Corridor,
  InvalidRequestError,
  WaitTimeoutError,
  unknownValue,
  type ListedPayment,
  type PaymentOrId,
  type PaymentStatus,
  type PaymentWaitOptions,
  paymentStatuses,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { openStatuses } from '../../support/open-statuses.ts';
import { Listing } from '../paged-list.ts';

const seconds = 1_000;
const minutes = 60 * seconds;
const days = 24 * 60 * minutes;

/** Waits in virtual time, while `happens` changes the payment. */
async function waitForStatus(
  listing: Listing,
  payment: PaymentOrId,
  options: PaymentWaitOptions,
  happens: () => Promise<void> = () => Promise.resolve(),
): Promise<ListedPayment> {
  return listing.time.run(async () => {
    void happens();
    return listing.client().payments.waitForStatus(payment, options);
  });
}

const timeout = async (work: Promise<unknown>): Promise<WaitTimeoutError> => {
  const error = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WaitTimeoutError);
  return error as WaitTimeoutError;
};

test('a payment of the same second that breaks the contract does not end the wait for another one', async () => {
  const platform = createMockPlatform();
  const [own, neighbor] = platform.payments.addMany(2);
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await platform.fetch(...request);
    const body = (await response.json()) as { items: { id: string; customer: unknown }[] };
    for (const row of body.items) if (row.id === neighbor?.id) row.customer = null;
    return Response.json({ ...body, items: [null, ...body.items] });
  };
  const { payments } = new Corridor({ ...platform.clientOptions(), fetch });
  expect(await payments.waitForStatus(own!, { until: [own!.status as PaymentStatus], maxWait: 1_000 })).toMatchObject({
    id: own!.id,
  });
});

describe('a payment is looked up by its `createdAt`', () => {
  const noon = '2026-03-01T12:00:00Z';

  test.each([
    noon,
    '2026-03-01T12:00:00.000Z',
    '2026-03-01 12:00:00+00', // PostgreSQL
    '2026-03-01 12:00:00.000000+00',
    '2026-03-01 12:00:00', // SQLite, MySQL
    '2026-03-01 12:00:00.0000000 +00:00', // SQL Server
    '2026-03-01 12:00:00 UTC', // Ruby
    '2026-03-01T12:00:00+0000',
    '2026-03-01T12:00:00+00',
    '2026-03-01T12:00:00-00:00',
    '2026-03-01T17:30:00+05:30',
    '2026-03-01T08:30:00-0330',
    '2026-03-01T07:00:00\u221205:00',
    '2026-03-02T02:00:00+14',
    '20260301T120000Z',
    '20260301T1200',
    '20260301 120000,0-00',
    '2026-03-01T12:00:00,000Z',
    '2026-03-01t12:00:00z',
    '2026-03-01T12:00Z',
    '2026-03-01T12Z',
    '2026-03-01T12',
    '2026-03-01T11.999999999',
    '2026-03-01T11:59.99999999',
    '2026-03-01T11:59:60Z',
    ' 2026-03-01T12:00:00Z\n',
  ])('%s', async (createdAt) => {
    const listing = new Listing();
    listing.add('p', 'COMPLETED', listing.time.now() - Date.parse(noon));
    const payment = { ...listing.get('p'), createdAt };
    await waitForStatus(listing, payment, { until: ['COMPLETED'], maxWait: 1 * minutes });
    expect(listing.requests).toMatchObject([
      {
        createdFrom: expect.stringMatching(/^2026-03-01T11:59:5[89]\.000Z$/) as string,
        createdTo: expect.stringMatching(/^2026-03-01T12:00:01\.000Z$/) as string,
      },
    ]);
  });

  test.each([
    ['2026-03-01', '2026-02-28T23:59:59.000Z'],
    ['2026-03-01T24:00', '2026-03-01T23:59:59.000Z'],
    ['0001-01-01T00:00:01', '0001-01-01T00:00:00.000Z'],
    ['2024-02-29T12:00:00.999Z', '2024-02-29T11:59:59.000Z'],
    ['2026-12-31T23:59:59.5Z', '2026-12-31T23:59:58.000Z'],
  ])('%s is read to the second', async (createdAt, createdFrom) => {
    const listing = new Listing();
    const wait = waitForStatus(
      listing,
      { id: 'p', createdAt },
      { until: ['COMPLETED'], maxWait: 1 * seconds, pollInterval: 1 * minutes },
    );
    await timeout(wait);
    expect(listing.requests[0]).toMatchObject({ createdFrom });
  });

  test.each([
    '',
    'yesterday',
    '2026',
    '2026-03',
    '202603-01',
    '2026-0301',
    '2026-02-29',
    '2026-02-30T12:00:00Z',
    '2026-04-31',
    '2026-00-01',
    '2026-13-01',
    '2026-03-00',
    '2026-03-01T',
    '2026-03-01Z',
    '2026-03-01T25:00Z',
    '2026-03-01T24:00:01Z',
    '2026-03-01T12:60Z',
    '2026-03-01T12:00:61Z',
    '2026-03-01T12:00:00+24:00',
    '2026-03-01T12:00:00+00:60',
    '2026-03-01T12:00:00 EST',
    'x2026-03-01T12:00:00Z',
    '03/01/2026 12:00',
  ])('%j is not read as a time', async (createdAt) => {
    const listing = new Listing();
    const error = await waitForStatus(listing, { id: 'p', createdAt }, { until: ['COMPLETED'], maxWait: 1_000 }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'invalid-response', issues: [{ path: 'createdAt' }] });
    expect(listing.requests).toEqual([]);
  });
});

describe('payments.waitForStatus', () => {
  test('resolves to the payment when it has one of the statuses', async () => {
    const listing = new Listing();
    listing.add('p');
    const done = await waitForStatus(
      listing,
      'p',
      { until: ['COMPLETED', 'REJECTED'], maxWait: 10 * minutes },
      async () => {
        for (const status of ['APPROVED', 'PROCESSING', 'COMPLETED']) {
          await listing.time.wait(1 * minutes);
          listing.move('p', status);
        }
      },
    );
    expect(done).toMatchObject({ id: 'p', status: 'COMPLETED' });
  });

  test('resolves immediately if it has the status already', async () => {
    const listing = new Listing();
    listing.add('p', 'COMPLETED');
    const began = listing.time.now();
    await waitForStatus(listing, 'p', { until: ['COMPLETED'], maxWait: 1 * minutes });
    expect([listing.time.now() - began, listing.requests.length]).toEqual([0, 1]);
  });

  test('lists the observed statuses in its error after maxWait', async () => {
    const listing = new Listing();
    listing.add('p');
    const began = listing.time.now();
    const error = await timeout(
      waitForStatus(listing, 'p', { until: ['COMPLETED'], maxWait: 10 * minutes }, async () => {
        await listing.time.wait(2 * minutes);
        listing.move('p', 'APPROVED');
      }),
    );
    expect(error).toMatchObject({
      code: 'wait-timeout',
      statusHistory: ['PENDING_REVIEW', 'APPROVED'],
      unreachable: false,
      endpoint: 'payments.waitForStatus',
    });
    expect(error.message).toBe(
      'payment p did not become COMPLETED within 600000 ms: its status was PENDING_REVIEW, then APPROVED',
    );
    expect(listing.time.now() - began).toBe(10 * minutes);
  });

  test('polls once more at the end', async () => {
    const listing = new Listing();
    listing.add('p');
    const done = await waitForStatus(
      listing,
      'p',
      { until: ['APPROVED'], maxWait: 5 * minutes, pollInterval: 4 * minutes },
      async () => {
        await listing.time.wait(5 * minutes - 1);
        listing.move('p', 'APPROVED');
      },
    );
    expect(done.status).toBe('APPROVED');
  });

  test.each<[PaymentStatus, readonly PaymentStatus[]]>([
    ['REJECTED', ['COMPLETED']],
    ['CANCELLED', ['APPROVED', 'COMPLETED']],
    ['COMPLETED', ['CANCELLED']],
    ['RETURNED', ['COMPLETED']],
  ])('throws immediately if a payment that is %s can no longer become %s', async (status, until) => {
    const listing = new Listing();
    listing.add('p', status);
    const error = await timeout(waitForStatus(listing, 'p', { until, maxWait: 60 * minutes }));
    expect(error).toMatchObject({ statusHistory: [status], unreachable: true });
    expect(error.message).toBe(`payment p can no longer become ${until.join(' or ')}: its status was ${status}`);
    expect(listing.requests).toHaveLength(1);
  });

  test('continues if a completed payment can still be returned, and if a status is unknown', async () => {
    const listing = new Listing();
    listing.add('p', 'COMPLETED');
    const done = await waitForStatus(listing, 'p', { until: ['RETURNED'], maxWait: 10 * minutes }, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('p', 'STATUS_OF_TESTS');
      await listing.time.wait(1 * minutes);
      listing.move('p', 'RETURNED');
    });
    expect(done.status).toBe('RETURNED');
  });

  test('repeats failed polls, and reports the last error as the cause', async () => {
    const listing = new Listing();
    listing.add('p');
    listing.respondWith = (_, index) => (index % 2 === 1 ? new Response(null, { status: 503 }) : undefined);
    const error = await timeout(
      waitForStatus(listing, 'p', { until: ['COMPLETED'], maxWait: 7 * seconds, pollInterval: 1 * seconds }),
    );
    expect(error.statusHistory).toEqual(['PENDING_REVIEW']);
    expect(error.cause).toMatchObject({ code: 'server', status: 503 });
  });

  test('ends at a rejection, and when its signal aborts', async () => {
    const rejecting = new Listing();
    rejecting.respondWith = () => new Response(null, { status: 401 });
    await expect(waitForStatus(rejecting, 'p', { until: ['COMPLETED'], maxWait: 1 * minutes })).rejects.toThrow(
      AuthenticationError,
    );

    const listing = new Listing();
    listing.add('p');
    const stop = new AbortController();
    const waiting = waitForStatus(
      listing,
      'p',
      { until: ['COMPLETED'], maxWait: 60 * minutes, signal: stop.signal },
      async () => {
        await listing.time.wait(5 * minutes);
        stop.abort();
      },
    );
    await expect(waiting).rejects.toThrow(AbortedError);
  });
});

test('a new payment is found on a machine whose clock is ahead, if the list lags and the payment ends at once', async () => {
  const listing = new Listing();
  const { payments } = listing.client({ now: () => listing.time.now() + 10 * minutes });
  const done = await listing.time.run(async () => {
    const waiting = payments.waitForStatus('p', { until: ['COMPLETED'], maxWait: 1 * minutes });
    await listing.time.wait(1 * seconds);
    listing.add('p', 'COMPLETED', 1 * seconds);
    return waiting;
  });
  expect(done.status).toBe('COMPLETED');
});

describe('maxWait', () => {
  test('limits a poll of many pages, with two seconds of reserve', async () => {
    const listing = new Listing();
    listing.latency = 100;
    for (let index = 0; index < 3_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    const began = listing.time.now();
    const error = await timeout(waitForStatus(listing, 'none', { until: ['COMPLETED'], maxWait: 1 * seconds }));
    expect(listing.time.now() - began).toBe(2 * seconds);
    expect(error).toMatchObject({ statusHistory: [], unreachable: false, cause: { code: 'timeout' } });
    expect(error.message).toContain('the last search for it failed');
  });

  test('does not limit a poll to less than the time that is left', async () => {
    const listing = new Listing();
    listing.latency = 100;
    for (let index = 0; index < 3_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'COMPLETED', 25 * days);
    const done = await waitForStatus(listing, 'p', { until: ['COMPLETED'], maxWait: 10 * seconds });
    expect(done.id).toBe('p');
  });
});

describe('the cost of waitForStatus', () => {
  test('is one request per poll if you pass the payment, however long the list', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'PROCESSING', 3 * days);
    await timeout(
      waitForStatus(listing, listing.get('p'), {
        until: ['COMPLETED'],
        maxWait: 10 * seconds,
        pollInterval: 1 * seconds,
      }),
    );
    expect(listing.requests.map(({ at }) => (at - (listing.requests[0]?.at ?? 0)) / seconds)).toEqual([0, 1, 3, 7, 10]);
  });

  test('is a search of open payments if you pass only the id, and then one request per poll', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'PROCESSING', 3 * days);
    await timeout(
      waitForStatus(listing, 'p', { until: ['COMPLETED'], maxWait: 3 * seconds, pollInterval: 1 * seconds }),
    );
    expect(
      listing.requests.map(({ status, createdTo }) => status ?? (createdTo === undefined ? 'new' : 'looked up')),
    ).toEqual(['new', ...openStatuses.slice(0, openStatuses.indexOf('PROCESSING') + 1), 'looked up', 'looked up']);
  });

  test('is one read of the whole list if the payment is not open', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    const error = await timeout(
      waitForStatus(listing, 'none', { until: ['COMPLETED'], maxWait: 3 * seconds, pollInterval: 1 * seconds }),
    );
    expect(error.statusHistory).toEqual([]);
    expect(error.message).toContain('it was not found');
    expect(
      listing.requests.filter(({ status, createdFrom }) => status === undefined && createdFrom === undefined),
    ).toHaveLength(10);
  });

  test('is limited by createdFrom', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'COMPLETED', 1 * minutes);
    await waitForStatus(listing, 'p', {
      until: ['COMPLETED'],
      maxWait: 1 * minutes,
      createdFrom: new Date(listing.time.now() - 1 * days),
    });
    expect(listing.requests).toHaveLength(1);
  });
});

test.each([[undefined], [null], [60_000]])('%s instead of options is rejected with an example', async (options) => {
  const listing = new Listing();
  await expect(listing.client().payments.waitForStatus('p', options as never)).rejects.toThrow(
    /^the options of a call must be an object with until and maxWait, such as \{ until: \['APPROVED'\], maxWait: 60_000 \} \(received /,
  );
  expect(listing.requests).toEqual([]);
});

test.each([
  ['until', 'p', { until: [], maxWait: 1_000 }],
  ['until[0]', 'p', { until: ['' as never], maxWait: 1_000 }],
  ['until', 'p', { until: 'COMPLETED' as never, maxWait: 1_000 }],
  ['until[1]', 'p', { until: ['COMPLETED', { status: 'STATUS_OF_TESTS' } as never], maxWait: 1_000 }],
  ['until[0]', 'p', { until: [{ unknownValue: '' }], maxWait: 1_000 }],
  ['payment', '', { until: ['COMPLETED'], maxWait: 1_000 }],
] as const)('an invalid %s is rejected before anything is sent', async (path, id, options) => {
  const listing = new Listing();
  const error = await listing
    .client()
    .payments.waitForStatus(id, options)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect((error as InvalidRequestError).issues.map((issue) => issue.path)).toEqual([path]);
  expect(listing.requests).toEqual([]);
});

test.each([
  ['maxWait', { until: ['COMPLETED'], maxWait: 0 }],
  ['pollInterval', { until: ['COMPLETED'], maxWait: 1_000, pollInterval: -1 }],
] as const)('%s must be at least 1', async (name, options) => {
  const listing = new Listing();
  await expect(listing.client().payments.waitForStatus('p', options)).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(new RegExp(`^${name} must be a number of milliseconds from 1 to `)) as unknown,
  });
  expect(listing.requests).toEqual([]);
});

test('a misspelled status is rejected at once, with the known statuses and the way to wait for a new one', async () => {
  const listing = new Listing();
  const wait = listing.client().payments.waitForStatus('p', { until: ['COMPLETE' as never], maxWait: 60 * minutes });
  await expect(wait).rejects.toThrow(
    `payments.waitForStatus was not sent: until[0] must be one of ${paymentStatuses.join(', ')} (received "COMPLETE"). For a value that the platform has added since, pass unknownValue('…')`,
  );
  expect(listing.requests).toEqual([]);
});

test('a status that this version does not know can be waited for', async () => {
  const listing = new Listing();
  listing.add('p', 'APPROVED', 1 * minutes);
  const until = [unknownValue('STATUS_OF_TESTS')];
  const payment = await waitForStatus(listing, 'p', { until, maxWait: 10 * minutes }, async () => {
    await listing.time.wait(1 * minutes);
    listing.move('p', 'STATUS_OF_TESTS');
  });
  expect(payment.status).toBe('STATUS_OF_TESTS');
});
