import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

let served;
let upstream;
let upstreamRequests = 0;
let next;
let address;

before(async () => {
  served = await serveMockPlatform();
  served.platform.payments.addMany(3);
  upstream = createServer((_, response) => {
    upstreamRequests += 1;
    response.end('upstream');
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  next = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '--port', '0'], {
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      CORRIDOR_BASE_URL: baseUrl,
      CORRIDOR_API_KEY: apiKey,
      CORRIDOR_PRIVATE_KEY: privateKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await new Promise((resolve) => {
    createInterface(next.stdout).on('line', (line) => {
      const [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
});

after(async () => {
  next.kill();
  await once(next, 'exit');
  upstream.close();
  await served.close();
});

/** The files of Next's data cache that contain a text. */
function cachedFilesWith(text) {
  let names = [];
  try {
    names = readdirSync('.next/cache/fetch-cache', { recursive: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return names.filter((name) => {
    const content = readFileSync(`.next/cache/fetch-cache/${name}`, 'utf8');
    const { body = '' } = JSON.parse(content).data ?? {};
    return content.includes(text) || Buffer.from(body, 'base64').toString().includes(text);
  });
}

test('a plain fetch is cached by Next: the control', async () => {
  const headers = { 'x-upstream': `http://127.0.0.1:${upstream.address().port}/` };
  for (let count = 0; count < 2; count += 1)
    assert.equal(await (await fetch(`${address}/control`, { headers })).text(), 'upstream');

  assert.equal(upstreamRequests, 1);
  assert.equal(cachedFilesWith('upstream').length, 1);
});

test('no response of the platform is cached, and every call reaches the platform', async () => {
  for (let count = 1; count <= 2; count += 1) {
    const response = await fetch(`${address}/payments`);
    assert.equal(response.status, 200);
    const [payment] = await response.json();
    assert.match(payment.id, /^pay_/);
    assert.equal(served.platform.requests.to('payments.list').length, count);
    assert.deepEqual(cachedFilesWith(payment.id), []);
  }
});
