import assert from 'node:assert/strict';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { Corridor, NotFoundError, type Logger } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { pino } from 'pino';
import { createLogger, format, transports } from 'winston';

type Line = Readonly<Record<string, unknown>>;

/** A stream that keeps the lines that are written to it. */
function createSink(): { readonly stream: Writable; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    lines.push(...String(chunk).trimEnd().split('\n'));
    done();
  };
  return { stream: new Writable({ write }), lines };
}

/** Makes a call that is retried once and one that fails. */
async function call(logger: Logger, wrap = (client: Corridor): Corridor => client): Promise<void> {
  const platform = createMockPlatform();
  // Delays between attempts pass at once; no timeout ends.
  const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    milliseconds < 10_000
      ? Promise.resolve()
      : new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  const client = new Corridor({ ...platform.clientOptions(), logger, sleep });
  platform.faults.next('crypto.networks', { kind: 'status', status: 503 });
  await wrap(client).crypto.networks();
  await assert.rejects(wrap(client).customers.get('cus_unknown'), NotFoundError);
}

/** Checks that each line of JSON has its level, its message and its fields. */
function assertLines(lines: readonly string[], message: string, levels: Readonly<Record<string, unknown>>): void {
  const records = lines.map((line) => JSON.parse(line) as Line);
  assert.deepEqual(
    records.map((record) => [record['type'], record['level']]),
    ['request', 'response', 'retry', 'request', 'response', 'request', 'response', 'error'].map((type) => [
      type,
      type === 'retry' ? levels['warn'] : type === 'error' ? levels['error'] : levels['debug'],
    ]),
  );
  for (const record of records) {
    assert.match(String(record[message]), /^(?:crypto\.networks|customers\.get) \(GET \/api\/v1\//);
    assert.equal(typeof record['callId'], 'string');
    assert.equal(record['method'], 'GET');
  }
  assert.equal(records.at(-1)?.['code'], 'not-found');
}

const pinoLevels = { debug: 20, warn: 40, error: 50 };

test('pino gets the message and the fields of each line', async () => {
  const { stream, lines } = createSink();
  await call(pino({ level: 'debug' }, stream));
  assertLines(lines, 'msg', pinoLevels);
});

test('a child logger of pino adds its bindings, also through withOptions', async () => {
  const { stream, lines } = createSink();
  const logger = pino({ level: 'debug' }, stream);
  await call(logger, (client) => client.withOptions({ logger: logger.child({ order: 'order-4711' }) }));
  assertLines(lines, 'msg', pinoLevels);
  assert.ok(lines.every((line) => (JSON.parse(line) as Line)['order'] === 'order-4711'));
});

test('winston gets the message and the fields of each line', async () => {
  const { stream, lines } = createSink();
  await call(createLogger({ level: 'debug', format: format.json(), transports: [new transports.Stream({ stream })] }));
  assertLines(lines, 'message', { debug: 'debug', warn: 'warn', error: 'error' });
});

test('a console prints the message and the ids of the call in one line', async () => {
  const { stream, lines } = createSink();
  await call(new Console(stream));
  assert.equal(lines.length, 8);
  for (const line of lines) assert.match(line, /^(?:crypto\.networks|customers\.get) \(GET .+ \{ callId: '[\w-]+'/);
});
