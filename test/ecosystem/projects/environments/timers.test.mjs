import FakeTimers from '@sinonjs/fake-timers';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, test, vi } from 'vitest';
import cases from './timers.cjs';

const shared = { test, expect, Corridor, createMockPlatform, serveMockPlatform, SqliteMirror };

cases.defineTimerCases({
  ...shared,
  name: 'vitest',
  timers: {
    install: () => vi.useFakeTimers(),
    uninstall: () => vi.useRealTimers(),
    advance: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds),
  },
});

let clock;
const toFake = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'];
cases.defineTimerCases({
  ...shared,
  name: 'sinon',
  timers: {
    install: () => (clock = FakeTimers.install({ now: Date.now(), toFake })),
    uninstall: () => clock.uninstall(),
    advance: (milliseconds) => clock.tickAsync(milliseconds),
  },
});
