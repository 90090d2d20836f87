import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, payable, startBackend } from './backend.ts';

interface Running {
  readonly address: string;
  readonly lines: readonly string[];
  /** Resolves when a line of the log contains all texts. */
  logged(...texts: readonly string[]): Promise<string>;
  /** Sends SIGTERM or another signal, and resolves to the exit code and signal. */
  stop(signal?: NodeJS.Signals): Promise<unknown[]>;
}

async function startServer(env: Record<string, string>): Promise<Running> {
  const server = spawn(process.execPath, ['src/server.ts'], {
    env: { ...process.env, DATABASE_URL: await emptyDatabase(), PORT: '0', LOG_LEVEL: 'debug', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const exited = once(server, 'exit');
  const lines: string[] = [];
  const arrivals = createInterface(server.stdout);
  arrivals.on('line', (line) => lines.push(line));
  const logged = async (...texts: readonly string[]): Promise<string> => {
    const find = () => lines.find((line) => texts.every((text) => line.includes(text)));
    for (;;) {
      const line = find();
      if (line !== undefined) return line;
      await once(arrivals, 'line');
    }
  };
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await logged('Server listening')) ?? [];
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    server.kill(signal);
    return exited;
  };
  return { address, lines, logged, stop };
}

test('the server starts, pays, completes the request in progress when it is stopped, and logs no secret', async () => {
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const { address, lines, logged, stop } = await startServer({
    CORRIDOR_BASE_URL: baseUrl,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_PRIVATE_KEY: privateKey,
  });

  served.platform.faults.next('payments.create', { kind: 'slow', delay: 300 });
  const response = fetch(`${address}/orders/order-1/payment`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payable(served.platform)),
  });
  await logged('payments.create', 'sending');
  const exited = stop();

  expect((await response).status).toBe(201);
  expect(await exited).toEqual([0, null]);
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level');
  for (const secret of [apiKey, 'PRIVATE KEY', 'eyJ']) expect(lines.join('\n')).not.toContain(secret);
});

test('processes that start at the same time create the tables once', async () => {
  const database = await emptyDatabase();
  const backends = await Promise.all(Array.from({ length: 8 }, () => startBackend(undefined, database)));
  await Promise.all(backends.map(({ stop }) => stop()));
});

test('the server starts during an outage of the platform, and stops without an error', async () => {
  const served = await serveMockPlatform();
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  await served.close();
  const { address, lines, logged, stop } = await startServer({
    CORRIDOR_BASE_URL: baseUrl,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_PRIVATE_KEY: privateKey,
  });
  await logged('sending');

  expect((await fetch(`${address}/health`)).status).toBe(200);
  expect(await stop()).toEqual([0, null]);
  expect(lines.filter((line) => line.includes('it runs again'))).toEqual([]);
});

test('a server that is killed at any step has paid every order once, and its ledger is exact', async () => {
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  const { platform } = served;
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const start = (DATABASE_URL: string) =>
    startServer({
      CORRIDOR_BASE_URL: baseUrl,
      CORRIDOR_API_KEY: apiKey,
      CORRIDOR_PRIVATE_KEY: privateKey,
      DATABASE_URL,
    });
  const database = await emptyDatabase();
  const orders = ['0.10', '0.20', '1.05'].map((amount) => payable(platform, amount));
  const pay = (address: string, index: number): Promise<Response> =>
    fetch(`${address}/orders/order-${index}/payment`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(orders[index]),
    });

  // While the platform has created the payment and not yet responded.
  for (const index of orders.keys()) {
    const server = await start(database);
    platform.faults.next('payments.create', { kind: 'hang-after-commit' });
    const lost = pay(server.address, index).catch(() => 'lost');
    await expect.poll(() => platform.payments.all().length, { timeout: 60_000 }).toBe(index + 1);
    await server.stop('SIGKILL');
    expect(await lost).toBe('lost');
  }
  // Right after the responses.
  const paying = await start(database);
  for (const index of orders.keys()) expect((await pay(paying.address, index)).status).toBe(200);
  await paying.stop('SIGKILL');
  for (const { id } of platform.payments.all())
    for (const status of ['APPROVED', 'PROCESSING', 'COMPLETED'] as const) platform.payments.transition(id, status);
  // While the outbox and the ledger are filled, after the ten seconds for which the killed process owns the copy.
  const filling = await start(database);
  await filling.logged('a payment changed', 'COMPLETED');
  await filling.stop('SIGKILL');

  const { address } = await start(database);
  const totals = async (): Promise<unknown> =>
    (await fetch(`${address}/ledger/${new Date().toISOString().slice(0, 7)}`)).json();
  await expect.poll(totals, { timeout: 60_000 }).toEqual({ USD: '1.35' });
  expect(platform.payments.all()).toHaveLength(orders.length);
  for (const index of orders.keys()) expect((await pay(address, index)).status).toBe(200);
}, 180_000);
