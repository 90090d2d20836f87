const { readFileSync, writeFileSync } = require('node:fs');

// The environment of docs/runtimes.md, as printed.
const page = readFileSync(`${__dirname}/node_modules/corridor-sdk/docs/runtimes.md`, 'utf8');
const [, environment] = /^```js\n(\/\/ jsdom-environment\.cjs\n.*?)^```/ms.exec(page);
writeFileSync(`${__dirname}/jsdom-environment.cjs`, environment);

/** @type {import('jest').Config} */
module.exports = {
  projects: ['node', 'jest-fixed-jsdom', './jsdom-environment.cjs'].map((testEnvironment) => ({
    displayName: testEnvironment,
    testEnvironment,
    // Fake timers are the same in every environment.
    testMatch: [`**/${testEnvironment === 'node' ? '*' : 'payments'}.test.cjs`],
    transform: {},
    // msw 3 has ES modules only, which Jest loads only with a flag of Node.
    moduleNameMapper: { '^msw$': 'msw-2', '^msw/node$': 'msw-2/node' },
  })),
};
