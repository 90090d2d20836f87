import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform, replayRecording, type MeasuredPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { toCurl } from '../../../src/console/format/code.ts';
import { corridor } from '../corridor.ts';
import { announcedBy, emptyFolder, start } from './process.ts';

const run = promisify(execFile);
let real: MockPlatformServer;
let folder: string;

beforeAll(async () => {
  real = await serveMockPlatform({ errorBody: 'nested' });
  return () => real.close();
});

beforeEach(async () => {
  real.platform.reset();
  real.platform.customers.add({ companyName: 'Kestrel Minerals' });
  folder = await emptyFolder();
});

const clientOf = (baseUrl: string): Corridor => new Corridor({ ...real.clientOptions(), baseUrl, maxRetries: 0 });
const upstream = (...words: readonly string[]): string[] => ['--json', '--upstream', real.url, ...words];

test('prints the base URL for the program, and passes its requests on', async () => {
  const mock = await start('--upstream', real.url, '--log');
  const [, baseUrl = ''] = /CORRIDOR_BASE_URL=(\S+)/.exec(mock.first) ?? [];

  expect(await clientOf(baseUrl).customers.list().toArray()).toHaveLength(1);

  await mock.printed(/GET \/api\/v1\/customers 200 - \d+ms/);
  expect(mock.first).toContain(`are passed on to ${real.url}, and to no other host`);
  expect(mock.first).toContain(`The console is at ${baseUrl}/__mock/console`);
});

test('curl works through it', async () => {
  const { baseUrl } = announcedBy(await start(...upstream()));
  const credentials = { ...(await real.credentials()), baseUrl };
  const request = { method: 'GET', path: '/api/v1/customers', query: { limit: '2' }, body: undefined };

  const { stdout } = await run('sh', ['-c', toCurl(credentials, request, '$(date +%s)').replace('curl', 'curl -sS')]);

  expect(JSON.parse(stdout)).toMatchObject({ items: [{ companyName: 'Kestrel Minerals' }] });
});

const python = `
import base64, hashlib, json, subprocess, sys, time, urllib.request, uuid

base, api_key, key = sys.argv[1:]
encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
uri, now = "/api/v1/customers?limit=2", int(time.time())
claims = {"iat": now, "exp": now + 60, "jti": str(uuid.uuid4()), "uri": uri, "bodyHash": hashlib.sha256(b"").hexdigest()}
content = encode(b'{"alg":"RS256"}') + b"." + encode(json.dumps(claims).encode())
signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=content, capture_output=True, check=True)
token = (content + b"." + encode(signature.stdout)).decode()
request = urllib.request.Request(base + uri, headers={"x-api-key": api_key, "authorization": "Bearer " + token})
print(urllib.request.urlopen(request).read().decode())
`;

test('Python works through it', async () => {
  const { baseUrl } = announcedBy(await start(...upstream()));
  const { apiKey, privateKey } = await real.credentials();
  const [script, key] = [join(folder, 'read.py'), join(folder, 'key.pem')];
  await writeFile(script, python);
  await writeFile(key, privateKey);

  const { stdout } = await run('python3', [script, baseUrl, apiKey, key]);

  expect(JSON.parse(stdout)).toMatchObject({ items: [{ companyName: 'Kestrel Minerals' }] });
});

test('--report writes what verify writes, and keeps what an earlier run found', async () => {
  const file = join(folder, 'corridor.platform.json');
  const before = {
    version: 1,
    dialect: {},
    behavior: { pageSize: 10 },
    rows: { 'A-12: the default page size': 'contradicted' },
  };
  await writeFile(file, JSON.stringify(before));
  const mock = await start(...upstream('--report', file));
  const client = clientOf(announcedBy(mock).baseUrl);
  await client.customers.get('cus_unknown').catch(() => undefined);
  await mock.stop();

  const platform = JSON.parse(await readFile(file, 'utf8')) as MeasuredPlatform;

  expect(platform).toMatchObject({
    behavior: { pageSize: 10, errorBody: 'nested' },
    rows: {
      'A-6: the shape and codes of errors': 'contradicted',
      'A-12: the default page size': 'contradicted',
      'A-36: the statuses of errors': 'confirmed',
    },
  });
  expect(createMockPlatform({ platform }).assumptions()).toContainEqual(
    expect.objectContaining({ option: 'errorBody', value: 'nested' }),
  );
});

test('--record appends exchanges that a test replays, without personal data and credentials', async () => {
  const file = join(folder, 'sandbox.jsonl');
  for (const limit of [1, 2]) {
    const mock = await start(...upstream('--record', file));
    await clientOf(announcedBy(mock).baseUrl).customers.list({ limit });
    // A crash loses nothing of what was recorded.
    await expect.poll(() => readFile(file, 'utf8')).toContain(`"limit":"${limit}"`);
    await mock.stop('SIGKILL');
  }

  const recording = await readFile(file, 'utf8');

  expect(recording.trim().split('\n')).toHaveLength(2);
  for (const secret of ['Kestrel', real.clientOptions().apiKey, 'eyJ']) expect(recording).not.toContain(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const platform = createMockPlatform();
  replayRecording(platform, recording);
  const { items } = await new Corridor(platform.clientOptions()).customers.list({ limit: 2 });
  expect(items).toMatchObject([{ companyName: '[masked]' }]);
});

test('--sensitive keeps personal data, and still no credentials', async () => {
  const file = join(folder, 'sandbox.jsonl');
  const mock = await start(...upstream('--record', file, '--sensitive'));
  await clientOf(announcedBy(mock).baseUrl).customers.list();
  await mock.stop();

  const recording = await readFile(file, 'utf8');

  expect(recording).toContain('Kestrel Minerals');
  expect(recording).not.toContain(real.clientOptions().apiKey);
});

test('a killed platform is named in a 502, and a new one continues', async () => {
  const first = await start('--json', '--key-file', join(folder, 'key.pem'));
  const { baseUrl: url, apiKey, keyFile } = announcedBy(first);
  const { baseUrl } = announcedBy(await start('--json', '--upstream', url));
  const privateKey = await readFile(keyFile ?? '', 'utf8');
  const client = new Corridor({ baseUrl, apiKey, privateKey, maxRetries: 0 });
  await client.crypto.networks();
  await first.stop('SIGKILL');

  await expect(client.crypto.networks()).rejects.toMatchObject({ status: 502, platformCode: 'no_response' });

  await start('--json', '--key-file', keyFile ?? '', '--port', new URL(url).port);
  expect(await client.crypto.networks()).not.toEqual([]);
});

test('createOnce continues after the server in front was killed while it lost a response', async () => {
  const front = await start(...upstream());
  const { baseUrl } = announcedBy(front);
  const fault = ['payments.create', { kind: 'hang-after-commit' }];
  await fetch(`${baseUrl}/__mock/faults.next`, { method: 'POST', body: JSON.stringify(fault) });
  const client = clientOf(baseUrl);
  const order = real.platform.payments.createParams();
  const paid = client.payments.createOnce(order, { idempotencyKey: 'order-4711' });
  void paid.catch(() => undefined);
  await expect.poll(() => real.platform.payments.all().length).toBe(1);
  await front.stop('SIGKILL');
  await expect(paid).rejects.toMatchObject({ outcome: 'unknown' });

  await start(...upstream('--port', new URL(baseUrl).port));
  const { created, recovered } = await client.payments.createOnce(order, { idempotencyKey: 'order-4711' });

  expect([created, recovered, real.platform.payments.all().length]).toEqual([false, true, 1]);
});

test.each([
  [['--upstream', 'http://sandbox.example'], '--upstream must be an https URL without credentials'],
  [['--upstream', 'https://a.example', '--populate'], '--populate applies to the mock only'],
  [['--record', 'x.jsonl'], '--record applies to --upstream only'],
  [['--upstream', 'https://a.example', '--sensitive'], '--sensitive applies to --record only'],
])('rejects %s', async (words, message) => {
  const { code, notes } = await corridor(['mock', '--port', '0', ...words], { folder });
  expect([code, notes]).toEqual([2, expect.stringContaining(message)]);
});

test('says that a recording cannot be written before it listens', async () => {
  const { code, notes } = await corridor(['mock', ...upstream('--record', join(folder, 'no', 'x.jsonl'))], { folder });
  expect([code, notes]).toEqual([1, expect.stringContaining('x.jsonl cannot be written (ENOENT). Pass another file')]);
});
