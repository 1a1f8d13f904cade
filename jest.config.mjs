/** The tests run against the built package: 'timeout-wheel' resolves to dist/ by the package's own exports. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/test/packed/fixtures/'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // For what hangs, not a measure: many tests run programs in processes of their own, on machines that may be busy.
  testTimeout: 180_000,
}
