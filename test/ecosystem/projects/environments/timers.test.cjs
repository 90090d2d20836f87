require('./timers.cjs').defineTimerCases({
  test,
  expect,
  name: 'Jest',
  timers: {
    // Promises of Node and requests need these two.
    install: () => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }),
    uninstall: () => jest.useRealTimers(),
    advance: (milliseconds) => jest.advanceTimersByTimeAsync(milliseconds),
  },
  Corridor: require('corridor-sdk').Corridor,
  createMockPlatform: require('corridor-sdk/mock').createMockPlatform,
  serveMockPlatform: require('corridor-sdk/mock/node').serveMockPlatform,
  SqliteMirror: require('corridor-sdk/mirror/sqlite').SqliteMirror,
});
