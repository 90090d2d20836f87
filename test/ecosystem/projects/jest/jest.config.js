/** @type {import('jest').Config} */
module.exports = { preset: 'ts-jest', testEnvironment: 'node', setupFilesAfterEnv: ['./matchers.ts'] };
