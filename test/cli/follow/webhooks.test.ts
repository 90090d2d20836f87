import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { Corridor, MirrorError, type PaymentWebhookEvent } from 'corridor-sdk';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Forwarder, type ForwardOptions } from '../../../src/cli/forward.ts';
import { corridor, ended, environmentOf, jsonLines, startCorridor, type Run } from '../corridor.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

/** An event that the endpoint received and verified. */
interface Received {
  readonly id: string;
  readonly type: string;
  readonly payment: string;
  readonly previousStatus: string | null;
  readonly status: string;
}

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;
let endpoint: Server;
let url: string;
let received: Received[];
let bodies: PaymentWebhookEvent[];
/** The next statuses of the endpoint; then 204. With `hang`, it does not respond. */
let statuses: (number | 'hang')[];
let retryAfter: () => string;

function respond(response: ServerResponse): void {
  const status = statuses.shift() ?? 204;
  if (status !== 'hang') response.writeHead(status, { location: '/elsewhere', 'retry-after': retryAfter() }).end();
}

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = { ...(await environmentOf(served)), CORRIDOR_WEBHOOK_SECRET: secret };
  endpoint = createServer((request, response) => {
    void text(request).then((body) => {
      // Throws if the signature or its time is wrong.
      const event = new Webhook(secret).verify(body, request.headers as IncomingHttpHeaders & Record<string, string>);
      const { type, data } = event as PaymentWebhookEvent;
      const { payment, previousStatus } = data;
      const id = String(request.headers['webhook-id']);
      received.push({ id, type, payment: payment.id, previousStatus, status: payment.status });
      bodies.push(event as PaymentWebhookEvent);
      endpoint.emit('received');
      respond(response);
    });
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/webhooks`;
});

beforeEach(async () => {
  served.platform.reset();
  [received, bodies, statuses, retryAfter] = [[], [], [], () => '0'];
  folder = await mkdtemp(join(tmpdir(), 'corridor-webhooks-'));
  return () => rm(folder, { recursive: true });
});

afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await served.close();
});

const words = (...more: string[]): string[] =>
  ['follow', '--forward-to', url, '--sqlite', join(folder, 'corridor.sqlite')].concat(more);
const forward = (...more: string[]): Promise<Run> => corridor(words('--once', ...more), { environment });

/** Lets time pass for the leases of processes, by the clock of the database. */
function passTime(milliseconds = 11_000): void {
  const file = new DatabaseSync(join(folder, 'corridor.sqlite'), { timeout: 5_000 });
  for (const table of ['corridor_positions', 'corridor_sync'])
    file.exec(`update ${table} set lease = lease - ${milliseconds}`);
  file.close();
}

/** Waits until the endpoint has received a number of events. */
async function receive(count: number): Promise<void> {
  while (received.length < count) await once(endpoint, 'received');
}

/** Ends the command with a signal while the endpoint does not respond to the last of a number of events. */
async function endDuring(count: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<Run> {
  statuses = [...Array.from({ length: count - 1 }, () => 204), 'hang'];
  const child = startCorridor(words('--once'), { environment });
  const run = ended(child);
  await receive(count);
  child.kill(signal);
  const result = await run;
  passTime();
  return result;
}

describe('corridor follow --forward-to', () => {
  test('posts the signed changes from now on in order, and prints each accepted one', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
    const first = await forward();
    served.platform.payments.add({ id: 'pay_2', status: 'PENDING_REVIEW' });
    served.platform.payments.transition('pay_1', 'COMPLETED');
    const second = await forward();

    expect(first).toEqual({ code: 0, output: '', notes: '' });
    expect(second).toMatchObject({ code: 0, notes: '' });
    expect(jsonLines(second.output)).toEqual(
      received.map(({ id, payment, status }) => ({ paymentId: payment, status, webhookId: id, attempts: 1 })),
    );
    expect(received.toSorted((one, other) => one.payment.localeCompare(other.payment))).toMatchObject([
      { type: 'payment.status_changed', payment: 'pay_1', previousStatus: 'PROCESSING', status: 'COMPLETED' },
      { type: 'payment.created', payment: 'pay_2', previousStatus: null, status: 'PENDING_REVIEW' },
    ]);
  });

  test('posts the whole payment, as it is in the list, and when the platform changed it', async () => {
    await forward();
    const { id } = served.platform.payments.add();
    const [payment] = await new Corridor(served.clientOptions()).payments.list().toArray({ max: 1 });
    await forward();

    expect(received).toMatchObject([{ payment: id }]);
    expect(bodies).toEqual([
      { type: 'payment.created', timestamp: payment?.updatedAt, data: { payment, previousStatus: null } },
    ]);
  });

  test('rejects a copy without personal data, which the payments of webhooks have', async () => {
    const { code, notes } = await corridor(['sync', '--sqlite', join(folder, 'corridor.sqlite'), '--once'], {
      environment,
    }).then(() => forward());

    expect(code).toBe(1);
    expect(notes).toContain(
      'created with sensitive: false (received true, as for corridor follow and sync --sensitive)',
    );
  });

  test('posts only changes to the statuses of --status', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PENDING_REVIEW' });
    await forward();
    served.platform.payments.transition('pay_1', 'APPROVED');
    await forward('--status', 'PROCESSING');
    served.platform.payments.transition('pay_1', 'PROCESSING');
    await forward('--status', 'PROCESSING');

    expect(received).toMatchObject([{ previousStatus: 'APPROVED', status: 'PROCESSING' }]);
  });

  test('posts each status of a payment that has changed again meanwhile', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PENDING_REVIEW' });
    await forward();
    for (const status of ['APPROVED', 'PROCESSING'] as const) {
      served.platform.payments.transition('pay_1', status);
      await corridor(['sync', '--sqlite', join(folder, 'corridor.sqlite'), '--sensitive', '--once'], { environment });
    }
    await forward();

    expect(received).toMatchObject([
      { previousStatus: 'PENDING_REVIEW', status: 'APPROVED' },
      { previousStatus: 'APPROVED', status: 'PROCESSING' },
    ]);
  });

  test('posts an event again with the same webhook-id after a failure', async () => {
    await forward();
    served.platform.payments.add({ id: 'pay_1' });
    statuses = [503];

    const { code, output, notes } = await forward();

    expect(code).toBe(0);
    expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id]);
    expect(jsonLines(output)).toMatchObject([{ paymentId: 'pay_1', attempts: 2 }]);
    expect(notes).toMatch(
      /payment\.created of payment pay_1 \(PENDING_REVIEW\): attempt 1 failed: status 503\. The next/,
    );
  });

  test('waits until the date of a Retry-After', async () => {
    await forward();
    served.platform.payments.add({ id: 'pay_1' });
    statuses = [503];
    retryAfter = () => new Date(Date.now() + 120_000).toUTCString();

    const child = startCorridor(words('--once'), { environment });
    const run = ended(child);
    await once(child.stderr, 'data');
    child.kill('SIGKILL');

    expect((await run).notes).toMatch(/ The next one is in 1[12]\d s/);
  });

  test.each([
    ['that the endpoint rejects', [400], 'after 1 attempt: status 400.'],
    ['that leads to a redirect', [307], 'after 1 attempt: status 307; redirects are not followed.'],
    ['that fails as often as --max-attempts', [500, 429], 'after 2 attempts: status 429.'],
  ])('stops at an event %s, names it, and continues with it', async (_, failures, message) => {
    await forward();
    served.platform.payments.addMany(3);
    statuses = [204, ...failures];

    const { code, notes } = await corridor(words('--max-attempts', '2'), { environment });
    const [accepted, failed] = received;
    const before = received.length;
    const next = await forward();

    expect(code).toBe(1);
    expect(notes).toContain(
      `did not accept payment.created of payment ${failed?.payment} (PENDING_REVIEW) (webhook-id ${failed?.id}) ${message}`,
    );
    expect(next.code).toBe(0);
    const continued = received.slice(before);
    expect(continued).toHaveLength(2);
    expect(continued[0]).toEqual(failed);
    expect(continued).not.toContainEqual(accepted);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'posts only the last event again, with the same webhook-id, if %s ended it before the response',
    async (signal) => {
      await forward();
      served.platform.payments.addMany(2);

      const { code, notes } = await endDuring(2, signal);
      const next = await forward();

      expect({ code, notes }).toEqual({ code: signal === 'SIGTERM' ? 0 : null, notes: '' });
      expect(next.code).toBe(0);
      expect(received).toHaveLength(3);
      expect(received[2]).toEqual(received[1]);
    },
  );

  test('keeps the webhook-id of a change if the payment is updated between a crash and the next run', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
    await forward();
    served.platform.payments.transition('pay_1', 'COMPLETED');
    await endDuring(1, 'SIGKILL');
    served.platform.clock.advance({ seconds: 5 });
    served.platform.payments.update('pay_1', { internalReference: 'order-4711' });

    expect(await forward()).toMatchObject({ code: 0 });
    expect(received).toHaveLength(2);
    expect(received[1]).toEqual(received[0]);
  });

  test('gives a change between the same statuses another webhook-id each time that it happens', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PENDING_REVIEW' });
    await forward();
    for (const status of ['CORRECTION_NEEDED', 'PENDING_REVIEW', 'CORRECTION_NEEDED'] as const) {
      served.platform.clock.advance({ minutes: 1 });
      served.platform.payments.transition('pay_1', status);
      expect(await forward()).toMatchObject({ code: 0 });
    }

    expect(received.map(({ previousStatus }) => previousStatus)).toEqual([
      'PENDING_REVIEW',
      'CORRECTION_NEEDED',
      'PENDING_REVIEW',
    ]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(3);
  });

  test('each URL has a position of its own, and --position gives it a name', async () => {
    await forward();
    await forward('--forward-to', `${url}/other`);
    served.platform.payments.add({ id: 'pay_1' });
    await forward();
    await forward('--forward-to', `${url}/other?token=1`);
    await forward('--forward-to', `${url}/moved`, '--position', url);

    expect(received.map(({ payment }) => payment)).toEqual(['pay_1', 'pay_1']);
  });

  test('an event is not posted again before its position is stored', async () => {
    await forward();
    const file = new DatabaseSync(join(folder, 'corridor.sqlite'));
    file.exec(
      "create trigger full before update of sequence on corridor_positions when old.sequence <> new.sequence begin select raise(abort, 'full'); end",
    );
    served.platform.payments.addMany(2);
    const failed = await forward();
    file.exec('drop trigger full');
    file.close();
    passTime();
    const [first] = received;

    expect(failed.code).toBe(1);
    expect(received).toHaveLength(1);
    expect(await forward()).toMatchObject({ code: 0 });
    expect(received).toHaveLength(3);
    expect(received[1]).toEqual(first);
  });

  test('an event is not posted again after the database failed for a moment', async () => {
    const mirror = new SqliteMirror(join(folder, 'corridor.sqlite'), { sensitive: true });
    const fill = () => new Corridor(served.clientOptions()).sync(mirror, { once: true });
    await fill();
    const stop = new AbortController();
    const delivered: number[] = [];
    let failures = 0;
    const fail = (): Promise<never> => {
      // Neither the position nor its release is stored.
      if ((failures += 1) === 2) Reflect.deleteProperty(mirror, 'leasePosition');
      return Promise.reject(new MirrorError('the file was locked for a moment', { retryable: true }));
    };
    const deliver = async (_: unknown, sequence: number): Promise<void> => {
      delivered.push(sequence);
      if (delivered.length === 1) Object.defineProperty(mirror, 'leasePosition', { value: fail, configurable: true });
      else stop.abort();
    };
    const options = { name: url, once: false, statuses: undefined, notes: { line: async () => {} }, deliver };
    const forwarder = new Forwarder(mirror, options as unknown as ForwardOptions);
    await forwarder.start();
    served.platform.payments.addMany(2);
    await fill();
    await forwarder.run(stop.signal);
    expect(new Set(delivered).size).toBe(2);
  });

  test('a process waits while another posts, and continues with its event after that was killed', async () => {
    await forward();
    served.platform.payments.add({ id: 'pay_1' });
    statuses = ['hang'];
    const [first, second] = [startCorridor(words(), { environment }), startCorridor(words(), { environment })];
    onTestFinished(() => [first, second].forEach((child) => child.kill('SIGKILL')));
    const notes = Promise.race(
      [first, second].map(async (child) => [child, await once(child.stderr, 'data')] as const),
    );
    await receive(1);
    const [waiting, [note]] = await notes;
    expect(String(note)).toBe(`Another process posts the webhooks of ${url}. This one continues when it ends.\n`);
    passTime(5_000);
    const file = new DatabaseSync(join(folder, 'corridor.sqlite'), { readOnly: true });
    const lease = (): number => Number(file.prepare('select lease from corridor_positions').get()?.['lease']);
    await expect.poll(lease, { timeout: 60_000 }).toBeGreaterThan(lease());
    file.close();
    expect(received).toHaveLength(1);
    const posting = waiting === first ? second : first;
    const killed = ended(posting);
    posting.kill('SIGKILL');
    await killed;
    passTime();
    await receive(2);

    expect(received[1]).toEqual(received[0]);
  });

  test('no change is lost while two processes are killed again and again', async () => {
    await forward();
    const children = [0, 1].map(() => startCorridor(words(), { environment }));
    onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
    for (let kill = 0; kill < 6; kill += 1) {
      served.platform.payments.addMany(3);
      await receive(received.length + 1 + (kill % 3));
      children[kill % 2]?.kill('SIGKILL');
      passTime();
      children[kill % 2] = startCorridor(words(), { environment });
    }
    const expected = served.platform.payments.all().map(({ id }) => id);
    while (new Set(received.map(({ payment }) => payment)).size < expected.length) await once(endpoint, 'received');

    const idsOf = (payment: string): readonly string[] => [
      ...new Set(received.filter((event) => event.payment === payment).map(({ id }) => id)),
    ];
    expect(expected).toHaveLength(18);
    for (const payment of expected) expect(idsOf(payment)).toHaveLength(1);
  });

  test('signs with both secrets of a rotation', async () => {
    await forward();
    served.platform.payments.add({ id: 'pay_1' });
    const both = { ...environment, CORRIDOR_WEBHOOK_SECRET: `${otherSecret} ${secret}` };

    const { code } = await corridor(words('--once'), { environment: both });

    expect(code).toBe(0);
    expect(received).toHaveLength(1);
  });

  test.each([
    [['--forward-to', 'http://shop.example/webhooks'], {}, 'must be an https URL'],
    [['--forward-to', 'shop.example'], {}, 'must be an https URL'],
    [['--forward-to', 'https://user:pass@shop.example/'], {}, 'must not contain a user name or password'],
    [['--forward-to', 'https://shop.example/'], { CORRIDOR_WEBHOOK_SECRET: '' }, 'secret of the webhooks is missing'],
    [
      ['--forward-to', 'https://shop.example/'],
      { CORRIDOR_WEBHOOK_SECRET: 'whsec_c2hvcnQtc2VjcmV0' },
      'at least 24 bytes in base64',
    ],
    [['--forward-to', 'https://shop.example/', '--max-attempts', '0'], {}, '--max-attempts must be an integer'],
    [['--forward-to', 'https://shop.example/'], {}, 'the database of the copy is missing'],
    [
      ['--forward-to', 'https://shop.example/', '--sqlite', 'corridor.sqlite', '--status', 'COMPLETE'],
      {},
      'Pass one of PENDING_REVIEW',
    ],
    [
      ['--forward-to', 'https://shop.example/', '--since', '2026-01-01T00:00Z'],
      {},
      '--since applies to changes that are printed only',
    ],
    [['--sqlite', 'corridor.sqlite'], {}, '--sqlite applies to --forward-to only'],
  ])('rejects %j, and sends nothing', async (more, variables, message) => {
    const { code, output, notes } = await corridor(['follow', ...more], {
      environment: { ...environment, ...variables },
    });

    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(notes).toContain(message);
    expect(notes).not.toContain('c2hvcnQtc2VjcmV0');
    expect(served.platform.requests).toHaveLength(0);
  });
});
