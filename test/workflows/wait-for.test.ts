import { describe, expect, test } from 'vitest';
import { AbortedError, AuthenticationError, InvalidRequestError, WaitTimeoutError, type ListedPayment, type WaitForOptions } from 'corridor-sdk';
import { Listing } from './listing.ts';

const seconds = 1_000;
const minutes = 60 * seconds;
const days = 24 * 60 * minutes;

/** Waits in virtual time, while things happen. */
async function waitFor(listing: Listing, payment: string | ListedPayment, options: WaitForOptions, happens: () => Promise<void> = () => Promise.resolve()): Promise<ListedPayment> {
  return listing.time.run(async () => {
    void happens();
    return listing.client().payments.waitFor(payment, options);
  });
}

const timeout = async (work: Promise<unknown>): Promise<WaitTimeoutError> => {
  const error = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WaitTimeoutError);
  return error as WaitTimeoutError;
};

describe('waitFor', () => {
  test('resolves to the payment once it has come to one of the statuses', async () => {
    const listing = new Listing();
    listing.add('p');
    const done = await waitFor(listing, 'p', { until: ['COMPLETED', 'REJECTED'], within: 10 * minutes }, async () => {
      for (const status of ['APPROVED', 'PROCESSING', 'COMPLETED']) {
        await listing.time.wait(1 * minutes);
        listing.move('p', status);
      }
    });
    expect(done).toMatchObject({ id: 'p', status: 'COMPLETED' });
  });

  test('resolves at once where it is there already', async () => {
    const listing = new Listing();
    listing.add('p', 'COMPLETED');
    const began = listing.time.now();
    await waitFor(listing, 'p', { until: ['COMPLETED'], within: 1 * minutes });
    expect([listing.time.now() - began, listing.asked.length]).toEqual([0, 1]);
  });

  test('lists in its error the statuses that were seen, when the time is up', async () => {
    const listing = new Listing();
    listing.add('p');
    const began = listing.time.now();
    const error = await timeout(waitFor(listing, 'p', { until: ['COMPLETED'], within: 10 * minutes }, async () => {
      await listing.time.wait(2 * minutes);
      listing.move('p', 'APPROVED');
    }));
    expect(error).toMatchObject({ code: 'wait-timeout', seen: ['PENDING_REVIEW', 'APPROVED'], final: false, endpoint: 'payments.waitFor' });
    expect(error.message).toBe('payment p did not become COMPLETED within 600000 ms: it was seen as PENDING_REVIEW, then APPROVED');
    expect(listing.time.now() - began).toBe(10 * minutes);
  });

  test('looks once more in the last moment', async () => {
    const listing = new Listing();
    listing.add('p');
    const done = await waitFor(listing, 'p', { until: ['APPROVED'], within: 5 * minutes, interval: 4 * minutes }, async () => {
      await listing.time.wait(5 * minutes - 1);
      listing.move('p', 'APPROVED');
    });
    expect(done.status).toBe('APPROVED');
  });

  test.each([
    ['REJECTED', ['COMPLETED']],
    ['CANCELLED', ['APPROVED', 'COMPLETED']],
    ['COMPLETED', ['CANCELLED']],
    ['RETURNED', ['COMPLETED']],
  ])('says at once that a payment which is %s cannot become %s any more', async (status, until) => {
    const listing = new Listing();
    listing.add('p', status);
    const error = await timeout(waitFor(listing, 'p', { until, within: 60 * minutes }));
    expect(error).toMatchObject({ seen: [status], final: true });
    expect(error.message).toBe(`payment p cannot become ${until.join(' or ')} any more: it was seen as ${status}`);
    expect(listing.asked).toHaveLength(1);
  });

  test('waits on where a completed payment may yet be returned, and where a status is not known', async () => {
    const listing = new Listing();
    listing.add('p', 'COMPLETED');
    const done = await waitFor(listing, 'p', { until: ['RETURNED'], within: 10 * minutes }, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('p', 'ON_HOLD');
      await listing.time.wait(1 * minutes);
      listing.move('p', 'RETURNED');
    });
    expect(done.status).toBe('RETURNED');
  });

  test('makes looks again that fail, and tells why the last one did', async () => {
    const listing = new Listing();
    listing.add('p');
    listing.meddle = (_, index) => (index % 2 === 1 ? new Response(null, { status: 503 }) : undefined);
    const error = await timeout(waitFor(listing, 'p', { until: ['COMPLETED'], within: 7 * seconds, interval: 1 * seconds }));
    expect(error.seen).toEqual(['PENDING_REVIEW']);
    expect(error.cause).toMatchObject({ code: 'server', status: 503 });
  });

  test('ends at a refusal, and when its signal aborts', async () => {
    const refusing = new Listing();
    refusing.meddle = () => new Response(null, { status: 401 });
    await expect(waitFor(refusing, 'p', { until: ['COMPLETED'], within: 1 * minutes })).rejects.toThrow(AuthenticationError);

    const listing = new Listing();
    listing.add('p');
    const stop = new AbortController();
    const waiting = waitFor(listing, 'p', { until: ['COMPLETED'], within: 60 * minutes, signal: stop.signal }, async () => {
      await listing.time.wait(5 * minutes);
      stop.abort();
    });
    await expect(waiting).rejects.toThrow(AbortedError);
  });
});

describe('within', () => {
  test('bounds a look that walks many pages, but for two seconds', async () => {
    const listing = new Listing();
    listing.latency = 100;
    for (let index = 0; index < 3_000; index += 1) listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    const began = listing.time.now();
    const error = await timeout(waitFor(listing, 'none', { until: ['COMPLETED'], within: 1 * seconds }));
    expect(listing.time.now() - began).toBe(2 * seconds);
    expect(error).toMatchObject({ seen: [], final: false, cause: { code: 'timeout' } });
  });

  test('leaves a look all the time there is', async () => {
    const listing = new Listing();
    listing.latency = 100;
    for (let index = 0; index < 3_000; index += 1) listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'COMPLETED', 25 * days);
    const done = await waitFor(listing, 'p', { until: ['COMPLETED'], within: 10 * seconds });
    expect(done.id).toBe('p');
  });
});

describe('what waitFor costs', () => {
  test('is one request per look where the payment is given, however long the list', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1) listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'PROCESSING', 3 * days);
    await timeout(waitFor(listing, listing.get('p'), { until: ['COMPLETED'], within: 10 * seconds, interval: 1 * seconds }));
    expect(listing.asked.map(({ at }) => (at - (listing.asked[0]?.at ?? 0)) / seconds)).toEqual([0, 1, 3, 7, 10]);
  });

  test('is a search among those on their way first, where only the id is given, and then one request per look', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1) listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'PROCESSING', 3 * days);
    await timeout(waitFor(listing, 'p', { until: ['COMPLETED'], within: 3 * seconds, interval: 1 * seconds }));
    expect(listing.asked.map(({ status, createdTo }) => status ?? (createdTo === undefined ? 'new' : 'looked up'))).toEqual([
      'new', 'PENDING_REVIEW', 'CORRECTION_NEEDED', 'APPROVED', 'PROCESSING', 'looked up', 'looked up',
    ]);
  });

  test('is one walk of the whole list where the payment is not on its way', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1) listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    const error = await timeout(waitFor(listing, 'none', { until: ['COMPLETED'], within: 3 * seconds, interval: 1 * seconds }));
    expect(error.seen).toEqual([]);
    expect(error.message).toContain('it was not seen at all');
    expect(listing.asked.filter(({ status, createdFrom }) => status === undefined && createdFrom === undefined)).toHaveLength(10);
  });

  test('is narrowed by createdFrom', async () => {
    const listing = new Listing();
    for (let index = 0; index < 1_000; index += 1) listing.add(`other${index}`, 'COMPLETED', 20 * days - index * minutes);
    listing.add('p', 'COMPLETED', 1 * minutes);
    await waitFor(listing, 'p', { until: ['COMPLETED'], within: 1 * minutes, createdFrom: new Date(listing.time.now() - 1 * days) });
    expect(listing.asked).toHaveLength(1);
  });
});

test.each([[undefined], [null], [60_000]])('%s in place of options is refused, with what they must say', async (options) => {
  const listing = new Listing();
  await expect(listing.client().payments.waitFor('p', options as never)).rejects.toThrow("payments.waitFor was not sent: options must be an object that says what is waited for and how long, such as { until: ['APPROVED'], within: 60_000 }");
  expect(listing.asked).toEqual([]);
});

test.each([
  ['until', 'p', { until: [], within: 1_000 }],
  ['until', 'p', { until: [''], within: 1_000 }],
  ['within', 'p', { until: ['COMPLETED'], within: 0 }],
  ['interval', 'p', { until: ['COMPLETED'], within: 1_000, interval: -1 }],
  ['payment', '', { until: ['COMPLETED'], within: 1_000 }],
] as const)('%s is refused where it is wrong, before anything is sent', async (path, id, options) => {
  const listing = new Listing();
  const error = await listing.client().payments.waitFor(id, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect((error as InvalidRequestError).issues.map((issue) => issue.path)).toEqual([path]);
  expect(listing.asked).toEqual([]);
});
