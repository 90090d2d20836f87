const { mockHandlers } = require('corridor-sdk/mock/msw');
const { setupServer } = require('msw/node');

require('./cases.cjs').defineCases({
  test,
  expect,
  sdk: require('corridor-sdk'),
  mock: require('corridor-sdk/mock'),
  msw: { mockHandlers, setupServer },
  sqlite: require('corridor-sdk/mirror/sqlite'),
});
