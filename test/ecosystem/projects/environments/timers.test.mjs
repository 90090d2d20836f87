import FakeTimers from '@sinonjs/fake-timers';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test, vi } from 'vitest';
import cases from './timers.cjs';

// The edge runtime has no node:http and no node:sqlite. happy-dom checks CORS, which a server need not allow.
const isEdge = 'EdgeRuntime' in globalThis;
const { serveMockPlatform } = isEdge || globalThis.window.happyDOM ? {} : await import('corridor-sdk/mock/node');
const { SqliteMirror } = isEdge ? {} : await import('corridor-sdk/mirror/sqlite');
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
