import {
  MemoryJournal,
  type Corridor,
  type CorridorOptions,
  type CreateOnceOptions,
  type PaymentCreateIntent,
} from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  failureOf,
  FaultyPlatform,
  intentOf,
  notProcessed,
  processed,
} from '../../support/faulty-platform.ts';

const minutes = 60_000;
const hours = 60 * minutes;
const days = 24 * hours;

/** How a platform reports its time. */
type Dating = (headers: Headers) => void;

const withoutDate: Dating = (headers) => headers.delete('date');
const fromCache: Dating = (headers) => headers.set('age', '30');
const dateOff =
  (milliseconds: number): Dating =>
  (headers) =>
    headers.set('date', new Date(Date.parse(headers.get('date') ?? '') + milliseconds).toUTCString());

function dated(response: Response, dating: Dating): Response {
  const headers = new Headers(response.headers);
  dating(headers);
  return new Response(response.body, { status: response.status, headers });
}

/** A platform with another way to report its time, on which a machine's clock is ahead (or behind) by so much. */
function platformWith(dating: Dating, machineAhead: number, ...handlers: readonly CreateHandler[]): FaultyPlatform {
  const faulty = new FaultyPlatform({ quotes: 'reusable', skew: -machineAhead });
  faulty.changePage = (page) => dated(page, dating);
  const datedHandlers = [
    ...handlers,
    ...Array.from({ length: 3 }, (): CreateHandler => (creation) => creation.commit()),
  ];
  return faulty.onCreate(
    ...datedHandlers.map(
      (handler): CreateHandler =>
        async (creation) =>
          dated(await handler(creation), dating),
    ),
  );
}

/** Creates older payments, so that the list has several pages. */
function addOlder(faulty: FaultyPlatform, count: number, age: number): void {
  const { customerId, beneficiaryId } = faulty.payable();
  const createdAt = new Date(faulty.platform.clock.now() - age).toISOString();
  faulty.platform.payments.addMany(count, () => ({ customerId, beneficiaryId, createdAt }));
}

/** Tokens with the platform's time, as those of a signer with its own clock. */
const tokensOf = (faulty: FaultyPlatform): CorridorOptions => ({
  claims: () => {
    const iat = Math.floor(faulty.platform.clock.now() / 1000);
    return { iat, exp: iat + 60 };
  },
});

const clocks: readonly (readonly [name: string, dating: Dating, machineAhead: number])[] = [
  ['sends no Date, and the machine is ten minutes ahead', withoutDate, 10 * minutes],
  ['sends no Date, and the machine is two days ahead', withoutDate, 2 * days],
  ['sends no Date, and the machine is two days behind', withoutDate, -2 * days],
  ['sends its Date with an Age, and the machine is ten minutes ahead', fromCache, 10 * minutes],
  ['sends its Date, and the machine is two days ahead', () => {}, 2 * days],
  ['sends a Date that is ten minutes ahead', dateOff(10 * minutes), 0],
  ['sends a Date that is ten minutes ahead, as the machine is', dateOff(10 * minutes), 10 * minutes],
  ['sends a Date that is ten minutes behind', dateOff(-10 * minutes), 0],
];

describe.each(clocks)('a platform that %s', (_name, dating, machineAhead) => {
  const createOnce = (faulty: FaultyPlatform, options?: CreateOnceOptions) =>
    faulty.run(() => faulty.client(tokensOf(faulty)).payments.createOnce(faulty.payable(), options));

  test('a payment whose response was lost is found, and not sent again', async () => {
    const faulty = platformWith(dating, machineAhead, processed(connectionError('ECONNRESET')));
    expect(await createOnce(faulty)).toMatchObject({ created: true, recovered: true });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a payment that was created despite a 421 is found', async () => {
    const faulty = platformWith(dating, machineAhead, processed(errorResponse(421)));
    expect(await createOnce(faulty)).toMatchObject({ created: true, recovered: true });
  });

  test('a payment of this call is `created`', async () => {
    expect(await createOnce(platformWith(dating, machineAhead))).toMatchObject({ created: true, recovered: false });
  });

  test.each([
    ['at once', 0],
    ['an hour later', hours],
    ['three days later', 3 * days],
  ])('another machine finds the payment of a process that crashed, %s', async (_when, later) => {
    const faulty = platformWith(dating, machineAhead, processed('hang'));
    const payment = faulty.payable();
    const journal = new MemoryJournal();
    const onIntent = async (intent: PaymentCreateIntent): Promise<void> => void (await journal.claim(intent));
    void faulty
      .client(tokensOf(faulty))
      .payments.createOnce(payment, { onIntent })
      .catch(() => {});
    await faulty.pass(1_000);
    const id = faulty.payments[0]?.id;
    await faulty.pass(later);

    const [intent] = await journal.listPending();
    const other = (): Corridor =>
      faulty.client({ ...tokensOf(faulty), now: () => faulty.time.now() - machineAhead + 3 * minutes });
    expect(
      await faulty.run(() => other().payments.reconcile(intent as PaymentCreateIntent, { consistencyWindow: 0 })),
    ).toMatchObject({ status: 'created', payment: { id } });
    expect(
      await faulty.run(() => other().payments.reconcilePending({ intents: [intent as PaymentCreateIntent] })),
    ).toMatchObject([{ status: 'created', payment: { id } }]);
  });
});

/** The earliest creation times that the requests to the list asked for, oldest first. */
const startsOf = ({ platform }: FaultyPlatform): unknown[] =>
  platform.requests.to('payments.list').map(({ query }) => query['createdFrom']);

describe('the last search', () => {
  test('reads the list from its beginning if the platform sends no Date', async () => {
    const faulty = platformWith(withoutDate, 0, notProcessed(connectionError('ECONNRESET')));
    await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));
    const starts = startsOf(faulty);
    expect(starts.slice(0, -1)).not.toContain(undefined);
    expect(starts.at(-1)).toBeUndefined();
  });

  test('starts an hour before the payment was sent if the platform sends its Date', async () => {
    const faulty = platformWith(() => {}, 0, notProcessed(connectionError('ECONNRESET')));
    await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));
    expect(startsOf(faulty).slice(-2)).toEqual([
      expect.stringMatching(/^2026-03-01T08:59:/),
      expect.stringMatching(/^2026-03-01T(?:07:59|08:00):/),
    ]);
  });

  test('is not needed for a payment that was created when the machine expects', async () => {
    const faulty = platformWith(withoutDate, 0, processed(connectionError('ECONNRESET')));
    addOlder(faulty, 1_000, days);
    await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()));
    expect(faulty.pagesRequested).toBe(1);
  });
});

describe('a clock of which the platform shows that it is wrong only', () => {
  test('in the responses to the search', async () => {
    const faulty = platformWith(() => {}, 3 * hours, processed(connectionError('ECONNRESET')));
    expect(
      await faulty.run(() =>
        faulty.client(tokensOf(faulty)).payments.createOnce(faulty.payable(), { consistencyWindow: 0 }),
      ),
    ).toMatchObject({ created: true, recovered: true });
  });

  test('in the responses to the last search, of an intent that is dated in the future', async () => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const { id } = faulty.add(payment);
    const intent = intentOf(payment, faulty.time.now() + 3 * hours);
    const now = (): number => faulty.time.now() + 3 * hours;
    expect(
      await faulty.run(() =>
        faulty.client({ ...tokensOf(faulty), now }).payments.reconcile(intent, { consistencyWindow: 0 }),
      ),
    ).toMatchObject({ payment: { id } });
  });
});

describe('a machine whose clock is set', () => {
  /** A client that has read the platform's clock, on real timers. */
  async function machine() {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    let ahead = 0;
    const setAhead = (milliseconds: number): void => void (ahead = milliseconds);
    const now = (): number => faulty.time.now() + ahead;
    const { payments } = faulty.client({ ...tokensOf(faulty), now, sleep: undefined, maxRetries: 0 });
    await payments.list();
    return { faulty, payments, setAhead };
  }

  test.each([
    [61_000, false],
    [-61_000, false],
    [59_000, true],
  ])('by %i ms since the last response: the time of an intent is known: %s', async (ahead, known) => {
    const { faulty, payments, setAhead } = await machine();
    setAhead(ahead);
    let intent: PaymentCreateIntent | undefined;
    await payments.createOnce(faulty.payable(), { onIntent: (each) => void (intent = each) });
    expect(intent?.clockKnown).toBe(known);
  });

  test('before a process that crashed: another machine finds the payment', async () => {
    const { faulty, payments, setAhead } = await machine();
    setAhead(3 * hours);
    const payment = faulty.payable();
    let intent: PaymentCreateIntent | undefined;
    await payments.createOnce(payment, { onIntent: (each) => void (intent = each) });
    await faulty.pass(2 * hours);
    expect(
      await faulty.run(() =>
        faulty.client().payments.reconcile(intent as PaymentCreateIntent, { consistencyWindow: 0 }),
      ),
    ).toMatchObject({ status: 'created' });
  });

  test.each([-3 * hours, 3 * hours])('by %i ms while the payment is sent: it is found', async (ahead) => {
    const { faulty, payments, setAhead } = await machine();
    faulty.onCreate(async (creation) => {
      await creation.commit();
      setAhead(ahead);
      throw connectionError('ECONNRESET');
    });
    expect(await payments.createOnce(faulty.payable(), { consistencyWindow: 0 })).toMatchObject({
      created: true,
      recovered: true,
    });
  });

  test('back, in virtual time, while the first request of a process is sent: it is found', async () => {
    const faulty = new FaultyPlatform();
    let ahead = 0;
    faulty.onCreate(async (creation) => {
      await creation.commit();
      ahead = -3 * hours;
      throw connectionError('ECONNRESET');
    });
    const { payments } = faulty.client({ ...tokensOf(faulty), now: () => faulty.time.now() + ahead });
    expect(await faulty.run(() => payments.createOnce(faulty.payable()))).toMatchObject({ recovered: true });
  });
});

test('a machine that was suspended while the first request of a process was sent finds its payment', async () => {
  const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(async (creation) => {
    await creation.commit();
    // Time passes, but not on the timers of the machine.
    await faulty.pass(3 * hours);
    throw connectionError('ECONNRESET');
  });
  const { payments } = faulty.client({ sleep: undefined });
  expect(await payments.createOnce(faulty.payable(), { consistencyWindow: 0 })).toMatchObject({
    recovered: true,
  });
});

test("a Date that is absurd makes the platform's time unknown", async () => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client();
  await faulty.run(async () => payments.list());
  faulty.changePage = (page) => dated(page, dateOff(25 * hours));
  await faulty.run(async () => payments.list());
  let intent: PaymentCreateIntent | undefined;
  await faulty.run(() => payments.createOnce(faulty.payable(), { onIntent: (each) => void (intent = each) }));
  expect(intent?.clockKnown).toBe(false);
});

test('the Date of the page of a proxy is not that of the platform', async () => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client({ maxRetries: 0 });
  const date = new Date(faulty.time.now() - 10 * minutes).toUTCString();
  faulty.changePage = () => new Response('<html>', { headers: { 'content-type': 'text/html', date } });
  await failureOf(faulty.run(async () => payments.list()));
  let intent: PaymentCreateIntent | undefined;
  await faulty.run(() => payments.createOnce(faulty.payable(), { onIntent: (each) => void (intent = each) }));
  expect(intent).toMatchObject({ clockKnown: false, clockOffset: 0 });
});

describe('reconcilePending', () => {
  /** Reconciles an intent of an hour ago, whose clock was ten minutes ahead, and another one that has no payment. */
  async function reconcileTwo(known: readonly [boolean, boolean], ahead: number) {
    const faulty = new FaultyPlatform();
    const [payment, missing] = [faulty.payable(), faulty.payable()];
    faulty.add(payment);
    await faulty.pass(hours);
    const createdAt = faulty.time.now() - hours + ahead;
    const intents = [payment, missing].map((each, index) => ({
      ...intentOf(each, createdAt),
      clockKnown: known[index] as boolean,
    }));
    const results = await faulty.run(() => faulty.client().payments.reconcilePending({ intents }));
    return { faulty, results: results.map(({ status }) => status) };
  }

  test.each<[string, readonly [boolean, boolean], number]>([
    ['only once if all times are known', [true, true], 1],
    ['only once if the payments of the other times are found', [false, true], 1],
    ['again, from its beginning, if a payment of another time is not found', [true, false], 2],
  ])('reads the list %s', async (_name, known, pages) => {
    const { faulty, results } = await reconcileTwo(known, 10 * minutes);
    expect(results).toEqual(['created', known[1] ? 'not-found' : 'unknown']);
    expect(faulty.pagesRequested).toBe(pages);
    expect(startsOf(faulty).slice(1)).toEqual(pages === 2 ? [undefined] : []);
  });

  test('finds the payment of an unknown time from the beginning of the list', async () => {
    expect((await reconcileTwo([false, true], 3 * days)).results).toEqual(['created', 'unknown']);
  });
});

describe('the consistency window of reconcile', () => {
  /** The payment of an intent of an hour ago appears in the list in five seconds. */
  function appearing(replaced: Partial<PaymentCreateIntent>, dating: Dating = () => {}) {
    const faulty = new FaultyPlatform();
    faulty.lag = 5_000;
    faulty.changePage = (page) =>
      dated(page, (headers) => {
        headers.set('date', new Date(faulty.time.now()).toUTCString());
        dating(headers);
      });
    const payment = faulty.payable();
    faulty.add(payment);
    return { faulty, intent: { ...intentOf(payment, faulty.time.now() - hours), ...replaced } };
  }

  test.each<[string, Partial<PaymentCreateIntent>, Dating]>([
    ['the intent', { clockKnown: false }, () => {}],
    ['this process', {}, withoutDate],
  ])('starts with the call if the clock of %s is unknown', async (_name, replaced, dating) => {
    const { faulty, intent } = appearing(replaced, dating);
    expect(await faulty.run(() => faulty.client().payments.reconcile(intent))).toMatchObject({ status: 'created' });
  });

  test('is over if both clocks are known', async () => {
    const { faulty, intent } = appearing({});
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client().payments.reconcile(intent))).toEqual({ status: 'not-found' });
    expect(faulty.time.now() - started).toBeLessThan(1_000);
  });

  test('must fit into the total timeout', async () => {
    const { faulty, intent } = appearing({ clockKnown: false });
    expect(
      await failureOf(faulty.run(() => faulty.client().payments.reconcile(intent, { totalTimeout: 6_000 }))),
    ).toMatchObject({
      code: 'timeout',
      outcome: 'unknown',
      message: expect.stringContaining('longer totalTimeout') as unknown,
    });
  });
});
