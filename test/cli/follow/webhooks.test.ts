import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import type { PaymentWebhookEvent } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corridor, ended, environmentOf, jsonLines, startCorridor, type Run } from '../corridor.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

/** An event that the endpoint received and verified. */
interface Received {
  readonly id: string;
  readonly type: string;
  readonly payment: string;
  readonly previousStatus: string | null;
}

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;
let endpoint: Server;
let url: string;
let received: Received[];
/** The next statuses of the endpoint; then 204. With `hang`, it does not respond. */
let statuses: (number | 'hang')[];

function respond(response: ServerResponse): void {
  const status = statuses.shift() ?? 204;
  if (status !== 'hang') response.writeHead(status, { location: '/elsewhere' }).end();
}

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = { ...(await environmentOf(served)), CORRIDOR_WEBHOOK_SECRET: secret };
  endpoint = createServer((request, response) => {
    void text(request).then((body) => {
      // Throws if the signature or its time is wrong.
      const event = new Webhook(secret).verify(body, request.headers as IncomingHttpHeaders & Record<string, string>);
      const { type, data } = event as PaymentWebhookEvent;
      const { previousStatus } = data;
      received.push({ id: String(request.headers['webhook-id']), type, payment: data.payment.id, previousStatus });
      endpoint.emit('received');
      respond(response);
    });
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/webhooks`;
});

beforeEach(async () => {
  served.platform.reset();
  [received, statuses] = [[], []];
  folder = await mkdtemp(join(tmpdir(), 'corridor-webhooks-'));
  return () => rm(folder, { recursive: true });
});

afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await served.close();
});

const words = (...more: string[]): string[] => ['follow', '--forward-to', url, '--once', ...more];
const from = ['--since', '2020-01-01T00:00Z'];
const forward = (...more: string[]): Promise<Run> => corridor(words(...from, ...more), { environment });
const stored = (): string[] => [...from, '--checkpoint', join(folder, 'follow.sqlite')];

/** Runs a statement on the stored position. */
function execute(statement: string): void {
  const file = new DatabaseSync(join(folder, 'follow.sqlite'));
  file.exec(statement);
  file.close();
}

/** Ends the lease of a killed process, so that the next one does not wait. */
const expireLease = (): void => execute('update corridor_checkpoints set expires_at = 0');

describe('corridor follow --forward-to', () => {
  test('posts signed changes in order, and prints each accepted one', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
    served.platform.payments.add({ id: 'pay_2', status: 'PENDING_REVIEW' });
    const checkpoint = ['--checkpoint', join(folder, 'follow.sqlite')];

    const first = await forward(...checkpoint);
    served.platform.payments.transition('pay_1', 'COMPLETED');
    const second = await forward(...checkpoint);

    expect(first).toMatchObject({ code: 0, notes: '' });
    expect(jsonLines(first.output)).toMatchObject(received.slice(0, 2).map(({ id }) => ({ webhookId: id })));
    expect(received.map(({ type }) => type)).toEqual(['payment.created', 'payment.created', 'payment.status_changed']);
    expect(received.at(-1)).toMatchObject({ payment: 'pay_1', previousStatus: 'PROCESSING' });
    expect(new Set(received.map(({ id }) => id)).size).toBe(3);
    expect(jsonLines(second.output)).toEqual([
      { paymentId: 'pay_1', status: 'COMPLETED', webhookId: received.at(-1)?.id, attempts: 1 },
    ]);
  });

  test('posts an event again with the same webhook-id after a failure', async () => {
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

  test.each([
    ['that the endpoint rejects', [400], 'after 1 attempt: status 400.'],
    ['that leads to a redirect', [307], 'after 1 attempt: status 307; redirects are not followed.'],
    ['that fails as often as --max-attempts', [500, 429], 'after 2 attempts: status 429.'],
  ])('stops at an event %s, names it, and continues with it', async (_, failures, message) => {
    served.platform.payments.addMany(3);
    statuses = [204, ...failures];

    const { code, notes } = await forward('--max-attempts', '2', ...stored());
    const [accepted, failed] = received;
    const before = received.length;
    const next = await forward(...stored());

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

  test('posts only the last event again, with the same webhook-id, if it was killed before the response', async () => {
    served.platform.payments.addMany(2);
    statuses = [204, 'hang'];
    const child = startCorridor(words(...stored()), { environment });
    const run = ended(child);
    while (received.length < 2) await once(endpoint, 'received');
    child.kill('SIGKILL');
    await run;
    expireLease();

    const { code } = await forward(...stored());

    expect(code).toBe(0);
    expect(received).toHaveLength(3);
    expect(received[2]).toEqual(received[1]);
  });

  test.each([
    ['SIGKILL', [1, 2, 3]],
    ['SIGTERM', [3]],
  ] as const)(
    'a position that takes long to store is not stored after each event; after %s, it posts %j again',
    async (signal, again) => {
      served.platform.payments.addMany(4);
      statuses = [204, 204, 204, 'hang'];
      const child = startCorridor(words(...stored()), { environment, preload: './preload/slow-save.ts' });
      const run = ended(child);
      while (received.length < 4) await once(endpoint, 'received');
      child.kill(signal);
      await run;
      expireLease();

      const { code } = await forward(...stored());

      expect(code).toBe(0);
      expect(received.slice(4)).toEqual(again.map((index) => received[index]));
    },
  );

  test('keeps the webhook-id of a change if the payment is updated between a crash and the next run', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
    await forward(...stored());
    served.platform.payments.transition('pay_1', 'COMPLETED');
    statuses = ['hang'];
    const child = startCorridor(words(...stored()), { environment });
    const run = ended(child);
    while (received.length < 2) await once(endpoint, 'received');
    child.kill('SIGKILL');
    await run;
    expireLease();
    served.platform.clock.advance({ seconds: 5 });
    served.platform.payments.update('pay_1', { internalReference: 'order-4711' });

    expect(await forward(...stored())).toMatchObject({ code: 0 });
    expect(received).toHaveLength(3);
    expect(received[2]).toEqual(received[1]);
  });

  test('gives a change between open statuses another webhook-id each time that it happens', async () => {
    served.platform.payments.add({ id: 'pay_1', status: 'PENDING_REVIEW' });
    await forward(...stored());
    for (const status of ['CORRECTION_NEEDED', 'PENDING_REVIEW', 'CORRECTION_NEEDED'] as const) {
      served.platform.clock.advance({ minutes: 1 });
      served.platform.payments.transition('pay_1', status);
      expect(await forward(...stored())).toMatchObject({ code: 0 });
    }

    expect(received.map(({ previousStatus }) => previousStatus)).toEqual([
      null,
      'PENDING_REVIEW',
      'CORRECTION_NEEDED',
      'PENDING_REVIEW',
    ]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(4);
  });

  test('reports once that the position cannot be stored', async () => {
    await forward(...stored());
    execute(
      "create trigger full before update of checkpoint on corridor_checkpoints when json_extract(old.checkpoint, '$.payments') <> json_extract(new.checkpoint, '$.payments') begin select raise(abort, 'disk full'); end",
    );
    served.platform.payments.addMany(3);

    const { code, notes } = await forward(...stored());

    expect(received).toHaveLength(3);
    expect(code).toBe(1);
    expect(notes.match(/The position was not stored in \S+ \(disk full\)\./g)).toHaveLength(1);
  });

  test('ends after SIGTERM and continues with the event that was not accepted', async () => {
    served.platform.payments.addMany(2);
    statuses = [204, 'hang'];
    const child = startCorridor(words(...stored()), { environment });
    const run = ended(child);
    while (received.length < 2) await once(endpoint, 'received');
    child.kill('SIGTERM');

    expect(await run).toMatchObject({ code: 0, notes: '' });
    expect(await forward(...stored())).toMatchObject({ code: 0 });
    expect(received).toHaveLength(3);
    expect(received.at(2)).toEqual(received.at(1));
  });

  test('signs with both secrets of a rotation, which it reads from a file', async () => {
    served.platform.payments.add({ id: 'pay_1' });
    const file = join(folder, 'secrets');
    await writeFile(file, `${otherSecret} ${secret}\n`, { mode: 0o600 });
    const { CORRIDOR_WEBHOOK_SECRET: _, ...rest } = { ...environment, CORRIDOR_WEBHOOK_SECRET: '' };

    const { code } = await corridor(words(...from, '--secret-file', file), { environment: rest });

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
    [['--secret-file', 'secret.txt'], {}, '--secret-file applies to --forward-to only'],
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
