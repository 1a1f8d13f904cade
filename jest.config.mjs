import { fileURLToPath } from 'node:url'

/** The tests import the built package: the `exports` of package.json resolve 'timeout-wheel' to dist/. */
export default {
  testRunner: fileURLToPath(new URL('.tooling/jest-runner.cjs', import.meta.url)),
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/test/packed/fixtures/'],
  // Once, before the workers start.
  globalSetup: fileURLToPath(new URL('.tooling/prepare.mjs', import.meta.url)),
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Ends tests that hang. It is long because many tests start processes, and the machine may be busy.
  testTimeout: 180_000,
}
