/**
 * The tests that drive a browser. TIMEOUT_WHEEL_ENGINE says which; they are modules of their own (with node's option
 * --experimental-vm-modules), since those are what drives the browsers.
 */
export default {
  rootDir: '../..',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/browser/**/*.test.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/build/'],
  transform: {},
  testTimeout: 180_000,
}
