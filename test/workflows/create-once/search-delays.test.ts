import type { CreateOnceOptions, CreateOnceResult } from 'corridor-sdk';
import { expect, test } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  FaultyPlatform,
  notProcessed,
} from '../../support/faulty-platform.ts';

const reset = notProcessed(connectionError('ECONNRESET'));

// The delay between two searches doubles up to five seconds. A third of the total timeout is left for the last one.
const tenSeconds = [0, 250, 750, 1750, 3750, 7750, 10_000];
const twentySeconds = [0, 250, 750, 1750, 3750, 7750, 12_750, 17_750, 20_000];

interface Case {
  readonly handlers?: readonly CreateHandler[];
  readonly options?: CreateOnceOptions;
  /** Whether the list can be read. @default true */
  readonly isListed?: boolean;
  /** The code of the error; `created` is none. */
  readonly code: string;
  /** When the list is read, in milliseconds after the call. */
  readonly searches: readonly number[];
}

test.each<[string, Case]>([
  ['the connection breaks', { code: 'payment-outcome-unknown', searches: tenSeconds }],
  ['the list cannot be read', { isListed: false, code: 'payment-outcome-unknown', searches: tenSeconds }],
  [
    'the consistency window is longer than the total timeout',
    {
      options: { consistencyWindow: 60_000, totalTimeout: 30_000 },
      code: 'payment-outcome-unknown',
      searches: twentySeconds,
    },
  ],
  [
    'the platform never responds',
    {
      handlers: [notProcessed('hang')],
      options: { totalTimeout: 30_000 },
      code: 'payment-outcome-unknown',
      searches: [20_000, 20_250, 20_750, 21_750, 23_750, 26_667],
    },
  ],
  ['it is rejected with 400', { handlers: [notProcessed(errorResponse(400))], code: 'bad-request', searches: [] }],
  ['it is rejected with 429', { handlers: [notProcessed(errorResponse(429))], code: 'rate-limit', searches: [] }],
  [
    'its quote is used',
    { handlers: [notProcessed(errorResponse(409))], code: 'payment-outcome-unknown', searches: tenSeconds },
  ],
  [
    'it is misdirected',
    { handlers: [notProcessed(errorResponse(421))], code: 'payment-outcome-unknown', searches: tenSeconds },
  ],
  [
    'the connection is refused',
    { handlers: [notProcessed(connectionError('ECONNREFUSED', 'connect'))], code: 'connection', searches: [] },
  ],
])(
  'when createOnce searches for a payment, if %s',
  async (_name, { handlers = [reset], options, isListed = true, code, searches }) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(...handlers);
    const { payments } = faulty.client({ maxRetries: 0 });
    // Shows the time of the platform.
    await faulty.run(async () => payments.list());
    const started = faulty.time.now();
    const times: number[] = [];
    faulty.changePage = (page) => {
      times.push(faulty.time.now() - started);
      return isListed ? page : errorResponse(503);
    };
    const codeOf = (result: CreateOnceResult | { readonly code: string }): string =>
      'code' in result ? result.code : 'created';
    const call = payments.createOnce(faulty.payable(), options);
    expect(codeOf(await faulty.run(() => call.catch((error: { readonly code: string }) => error)))).toBe(code);
    expect(times).toEqual(searches);
    expect(faulty.sent).toHaveLength(code === 'connection' ? 0 : 1);
  },
);
