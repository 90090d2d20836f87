import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { Outage, timeoutOption } from '../../src/cli/outage.ts';
import type { Output } from '../../src/cli/terminal.ts';

/** Sends requests at these minutes, which fail until `end`, and returns the lines that are printed. */
async function linesOf(minutes: readonly number[], isDown: (minute: number) => boolean): Promise<readonly string[]> {
  const lines: string[] = [];
  let now = 0;
  const notes = { line: async (text: string) => void lines.push(`${now / 60_000}: ${text}`) } as Output;
  const platform = createMockPlatform();
  const { hooks } = new Outage(notes, undefined, () => now);
  const corridor = new Corridor({ ...platform.clientOptions(), hooks, maxRetries: 0 });
  for (const minute of minutes) {
    now = minute * 60_000;
    if (isDown(minute)) platform.faults.next('payments.list', { kind: 'status', status: 503 });
    await corridor.payments.list().catch(() => undefined);
  }
  return lines;
}

const everyMinute = (count: number): readonly number[] => Array.from({ length: count }, (_, minute) => minute);

test('an outage is a line, then one after 1, 2, 4 and 8 more minutes, and one at its end', async () => {
  expect(await linesOf(everyMinute(30), (minute) => minute < 20)).toEqual([
    '0: payments.list fails (status 503). It is repeated. The next line is in 1 min, or when it succeeds.',
    '1: payments.list fails (status 503), for 1 min. It is repeated. The next line is in 2 min, or when it succeeds.',
    '3: payments.list fails (status 503), for 3 min. It is repeated. The next line is in 4 min, or when it succeeds.',
    '7: payments.list fails (status 503), for 7 min. It is repeated. The next line is in 8 min, or when it succeeds.',
    '15: payments.list fails (status 503), for 15 min. It is repeated. The next line is in 16 min, or when it succeeds.',
    '20: payments.list succeeds again, after 20 min.',
  ]);
});

test('failures that come and go do not become a line each', async () => {
  const halves = everyMinute(240).map((minute) => minute / 4);
  expect(await linesOf(halves, (minute) => minute % 0.5 === 0)).toHaveLength(6);
});

test('a timeout names the call that has no response yet', async () => {
  const outage = new Outage({ line: async () => {} } as unknown as Output);
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  const corridor = new Corridor({
    ...createMockPlatform().clientOptions(),
    hooks: outage.hooks,
    fetch: async (_, init) => {
      resolve();
      return new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    },
  });
  const stopping = new AbortController();
  const list = corridor.payments.list({}, { signal: stopping.signal }).catch(() => undefined);
  await sent;
  const options = parseArguments(['--timeout', '15'], timeoutOption);

  expect(outage.timeout(options)?.error().message).toBe(
    'not finished after 15 s: payments.list has no response yet. Run the command again to continue',
  );
  stopping.abort();
  await list;
});
