import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { jsonLines } from '../corridor.ts';
import { announcedBy, clientOf, start, type Announced } from './process.ts';

const control = async ({ baseUrl }: Announced, call: string, ...args: readonly unknown[]): Promise<unknown> =>
  (await fetch(`${baseUrl}/__mock/${call}`, { method: 'POST', body: JSON.stringify(args) })).json();

test('prints a line for each request, in columns', async () => {
  const mock = await start('--log');
  const [, baseUrl = ''] = /CORRIDOR_BASE_URL=(\S+)/.exec(mock.first) ?? [];
  await fetch(`${baseUrl}/api/v1/payment?cursor=secret`);

  await mock.printed(/\n\d{4}-\d\d-\d\dT\S+Z - GET \/api\/v1\/payment 401 missing_api_key \d+ms\n/);
  expect((await mock.stop()).output).not.toContain('secret');
});

test('prints status, error, fault and organization of a request as JSON', async () => {
  const mock = await start('--log', '--json');
  const announced = announcedBy(mock);
  const corridor = await clientOf(announced);
  await corridor.customers.list();
  await control(announced, 'faults.next', 'customers.list', { kind: 'status', status: 503 });
  await corridor.customers.list().catch(() => undefined);
  await control(announced, 'faults.next', 'customers.list', { kind: 'reset' });
  await corridor.customers.list().catch(() => undefined);
  await corridor.customers.get('cus_0').catch(() => undefined);
  await mock.printed(/not_found/);

  const [, ...lines] = jsonLines((await mock.stop()).output);
  const logged = {
    time: expect.stringMatching(/Z$/),
    organization: expect.stringMatching(/^org_/),
    milliseconds: expect.any(Number),
  };
  const list = { ...logged, method: 'GET', path: '/api/v1/customers' };
  expect(lines).toEqual([
    { ...list, status: 200, error: null, fault: null },
    { ...list, status: 503, error: expect.any(String), fault: 'status' },
    { ...list, status: null, error: null, fault: 'reset' },
    { ...logged, method: 'GET', path: '/api/v1/customers/cus_0', status: 404, error: 'not_found', fault: null },
  ]);
});

const hostilePaths = ['/\u001b[31mred', '//[\u009b31mred', 'http://a/\u009b31mred', '/a%0Aforged%1B[31m'];

test.each(hostilePaths.flatMap((path) => [['--json'], []].map((format) => [path, format] as const)))(
  'prints no control characters of the path %j, with %j',
  async (path, format) => {
    const mock = await start('--log', ...format);
    const { port } = new URL(/https?:\/\/[\w.]+:\d+/.exec(mock.first)?.[0] ?? '');
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`, 'latin1'));
    await once(socket.resume(), 'close');

    const { output, notes } = await mock.stop();
    expect(output + notes).not.toMatch(/[\u001b\u0080-\u009f]|^forged/m);
  },
);

test('prints no line without --log', async () => {
  const mock = await start('--json');
  await (await clientOf(announcedBy(mock))).customers.list();

  expect((await mock.stop()).output).toBe(mock.first);
});
