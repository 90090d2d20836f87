import { createMockPlatform, MockPlatformError, type FaultTarget, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { busy } from './busy.ts';

describe('a plan rejects', () => {
  const plan = (act: (platform: MockPlatform) => void) => () => act(createMockPlatform());
  test.each<[string, (platform: MockPlatform) => void, string]>([
    [
      'an unknown endpoint',
      ({ faults }) => faults.next('payments.pay' as FaultTarget, busy),
      'faults.next: endpoint must be one of payments.create, ',
    ],
    [
      'an unknown kind',
      ({ faults }) => faults.next('*', { kind: 'fire' } as never),
      'faults.next: fault.kind must be one of status, rate-limit',
    ],
    [
      'no fault at all',
      ({ faults }) => faults.always('*', undefined as never),
      'faults.always: fault is required: it must be an object',
    ],
    [
      'a field that a kind does not have',
      ({ faults }) => faults.always('*', { kind: 'reset', after: 5 } as never),
      'faults.always: fault.after is not a known field (known: kind)',
    ],
    [
      'a status that is not an error',
      ({ faults }) => faults.next('*', { kind: 'status', status: 200 }),
      'fault.status must be an integer from 400 to 599 (received 200)',
    ],
    [
      'a field that is missing',
      ({ faults }) => faults.sequence('*', [{ kind: 'slow' } as never]),
      'faults.sequence: steps[0].delay is required: it must be a number of milliseconds, at least 0',
    ],
    [
      'a negative duration',
      ({ faults }) => faults.next('*', { kind: 'late-commit', after: -1 }),
      'fault.after must be a number of milliseconds from 0 to 1000000000000 (received -1)',
    ],
    [
      'an invalid retryAfterSeconds',
      ({ faults }) => faults.next('*', { kind: 'rate-limit', retryAfterSeconds: Number.NaN }),
      'fault.retryAfterSeconds must be an integer of seconds from 0 to 1000000000 (received NaN)',
    ],
    [
      'an invalid delay',
      ({ faults }) => faults.next('*', { kind: 'late-commit', after: '5' } as never),
      'fault.after must be a number of milliseconds',
    ],
    [
      'an empty path',
      ({ faults }) => faults.next('*', { kind: 'response', omit: [''] }),
      'fault.omit[0] must be a non-empty string',
    ],
    [
      'a missing delay',
      ({ faults }) => faults.next('*', { kind: 'late-commit' } as never),
      'fault.after is required: it must be a number of milliseconds',
    ],
    [
      'invalid seconds',
      ({ faults }) => faults.next('*', { kind: 'clock-skew', seconds: Infinity }),
      'fault.seconds must be a number of seconds from -1000000000 to 1000000000 (received Infinity)',
    ],
    [
      'invalid times',
      ({ faults }) => faults.next('*', busy, 0),
      'faults.next: times must be an integer of at least 1 (received 0)',
    ],
    [
      'steps that are not an array',
      ({ faults }) => faults.sequence('*', 'ok' as never),
      "faults.sequence: steps must be an array of faults and 'ok', in the order of the requests",
    ],
    [
      'a probability above 1',
      ({ faults }) => faults.rate('*', 20, busy),
      'faults.rate: probability must be a number from 0 to 1',
    ],
    [
      'an invalid probability',
      ({ faults }) => faults.rate('*', Number.NaN, busy),
      'faults.rate: probability must be a number from 0 to 1',
    ],
    [
      'clearing an unknown endpoint',
      ({ faults }) => faults.clear('payments' as FaultTarget),
      'faults.clear: endpoint must be one of payments.create',
    ],
  ])('%s', (_, act, message) => {
    expect(plan(act)).toThrow(MockPlatformError);
    expect(plan(act)).toThrow(message);
  });

  test('all steps of a plan if one is invalid', () => {
    const platform = createMockPlatform();
    expect(() => platform.faults.sequence('*', [busy, { kind: 'fire' } as never])).toThrow(MockPlatformError);
    expect(platform.faults.list()).toEqual([]);
  });
});
