/** The tests that drive the browser named by TIMEOUT_WHEEL_ENGINE. They are ES modules, as the programs that drive browsers are. */
export default {
  rootDir: '../..',
  testRunner: '<rootDir>/.tooling/jest-runner.cjs',
  testMatch: ['<rootDir>/test/browser/**/*.test.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/build/'],
  transform: {},
  testTimeout: 180_000,
}
