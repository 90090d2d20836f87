import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { intentFor } from '../journal/intent-for.ts';
import { corridor, environmentOf, type Run } from './corridor.ts';

// A line break forges a line; escapes change colors and the title.
const hostile = 'x\nforged line\u001b[31m\u001b]0;title\u0007\u009b2J';
const quote = `quo_${hostile}`;
const id = `pay_${hostile}`;

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = { ...(await environmentOf(served)), NO_COLOR: '1' };
  folder = await mkdtemp(join(tmpdir(), 'corridor-printed-'));
  const { platform } = served;
  platform.populate({ customers: 1, beneficiaries: 1, payments: 0 });
  platform.payments.add({ id, status: 'COMPLETED', internalReference: hostile });
  const journal = new SqliteJournal(join(folder, 'journal.sqlite'));
  await journal.claim(intentFor(quote));
  journal.close();
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

const run = (words: readonly string[], input = ''): Promise<Run> =>
  corridor(words, { environment, folder, input, terminal: 100 });

/** Every character that controls a terminal, besides line breaks and what replaces a line of progress. */
const controlsIn = (text: string): string[] =>
  text.replaceAll(/\r[^\r\n]*\u001b\[K/g, '').match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g) ?? [];

const commands: readonly (readonly [name: string, words: readonly string[], input?: string])[] = [
  ['call, as a table', ['call', 'payments.list']],
  ['call, as JSON', ['call', 'payments.list', '--json']],
  ['follow', ['follow', '--once', '--since', '2020-01-01T00:00Z']],
  ['sync', ['sync', '--sqlite', 'a.sqlite', '--once']],
  ['sync, as JSON', ['sync', '--sqlite', 'b.sqlite', '--once', '--json']],
  ['call of one record', ['call', 'payments.find', JSON.stringify({ internalReference: hostile })]],
  ['export', ['export', 'payments', '--out', 'payments.csv']],
  ['doctor', ['doctor']],
  ['journal list', ['journal', 'list', 'journal.sqlite']],
  ['journal list, as JSON', ['journal', 'list', 'journal.sqlite', '--json']],
  ['journal show', ['journal', 'show', 'journal.sqlite', quote]],
  ['journal show of no entry', ['journal', 'show', 'journal.sqlite', hostile]],
  ['journal resolve', ['journal', 'resolve', 'journal.sqlite', quote], 'no\n'],
  ['an error of a call', ['call', 'customers.get', hostile]],
  ['verify of records that do not exist', ['verify', '--payment', hostile, '--allow-writes', hostile]],
];

test.each(commands.map(([name, words, input = '']) => ({ name, words, input })))(
  '$name prints no control character of a record',
  async ({ words, input }) => {
    const { output, notes } = await run(words, input);
    expect(controlsIn(output + notes)).toEqual([]);
    expect(`${output}\n${notes}`).not.toMatch(/^forged line/m);
  },
);

test('follow and sync print no control character of a payment that changes', async () => {
  const forward = ['follow', '--once', '--forward-to', 'http://127.0.0.1:1', '--sqlite', 'forward.sqlite'];
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const surroundings = { environment: { ...environment, CORRIDOR_WEBHOOK_SECRET: secret }, folder };
  const first = await corridor(forward, surroundings);
  expect(first.code).toBe(0);
  served.platform.payments.transition(id, 'RETURNED');
  const posted = await corridor([...forward, '--max-attempts', '2'], surroundings);
  expect(posted.notes).toContain('attempt 1 failed');
  const differing = await run(['sync', '--sqlite', 'a.sqlite', '--full', '--dry-run']);
  expect(differing.output).toContain('status');
  expect(controlsIn(posted.output + posted.notes + differing.output)).toEqual([]);
  expect(`${posted.output}\n${posted.notes}\n${differing.output}`).not.toMatch(/^forged line/m);
});

test.each(['verify', 'verify --json', 'doctor'])(
  '%s prints no control character of a platform whose names and values are odd',
  async (command) => {
    const odd = {
      id: hostile,
      status: hostile,
      code: hostile,
      message: hostile,
      createdAt: hostile,
      [hostile]: hostile,
    };
    const list = JSON.stringify({
      ...odd,
      items: [odd, { ...odd, id: `${hostile}2` }],
      nextCursor: null,
      hasMore: false,
    });
    const server = createServer(({ url = '' }, response) => {
      const isList = /\/(?:payment|customers|tickets)(?:$|\?)/.test(url);
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json', 'x-request-id': 'req_\u009b31m' });
      response.end(isList ? list : JSON.stringify(odd));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { output, notes } = await corridor(command.split(' '), {
      environment: { ...environment, CORRIDOR_BASE_URL: `http://127.0.0.1:${port}` },
      folder,
      terminal: 100,
    });
    expect(output + notes).toContain('forged line');
    expect(controlsIn(output + notes)).toEqual([]);
    expect(`${output}\n${notes}`).not.toMatch(/^forged line/m);
  },
);
