/**
 * `expect` of Jest takes 50 microseconds for each call, because it makes a function for each of its matchers and reads the stack. Some
 * tests call it 100,000 times. This one checks the most frequent matchers itself, and returns if they hold. In all other cases it
 * calls Jest's, which decides and writes the message.
 */

/** Values that are larger or deeper are left to Jest. */
const MOST_KEYS = 100
const MOST_DEEP = 4

/** Whether a value is an array or the object of a literal, of any realm. */
function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null || Object.getOwnPropertySymbols(value).length > 0) return false
  return Array.isArray(value) || Object.getPrototypeOf(prototype) === null
}

/** Whether two values are surely equal for `toEqual`. False says nothing. */
function areEqual(a, b, depth = 0) {
  // An object can differ from itself: an iterator.
  if (Object.is(a, b) && (typeof a !== 'object' || a === null)) return true
  if (depth === MOST_DEEP || !isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length > MOST_KEYS || keys.length !== Object.keys(b).length || a.length !== b.length) return false
  return keys.every((key) => Object.hasOwn(b, key) && areEqual(a[key], b[key], depth + 1))
}

const areNumbers = (a, b) => typeof a === 'number' && typeof b === 'number'

/** Whether a matcher surely holds. @type {Record<string, (actual: unknown, expected: unknown) => boolean>} */
const HOLDS = {
  toBe: Object.is,
  toEqual: areEqual,
  toContain: (actual, expected) => Array.isArray(actual) && actual.indexOf(expected) !== -1,
  toContainEqual: (actual, expected) =>
    Array.isArray(actual) && actual.some((one) => areEqual(one, expected)),
  toHaveLength: (actual, expected) => Array.isArray(actual) && actual.length === expected,
  toBeLessThan: (actual, expected) => areNumbers(actual, expected) && actual < expected,
  toBeLessThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual <= expected,
  toBeGreaterThan: (actual, expected) => areNumbers(actual, expected) && actual > expected,
  toBeGreaterThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual >= expected,
}

function quickMatcher(expect, name) {
  return function matcher(expected) {
    if (HOLDS[name](this.actual, expected)) return
    try {
      expect(this.actual)[name](expected)
    } catch (error) {
      // Jest shows the line of the first frame: that of the test.
      Error.captureStackTrace(error, matcher)
      throw error
    }
  }
}

/**
 * @template {(actual: unknown) => object} Expect
 * @param {Expect} expect
 * @returns {Expect}
 */
function quickExpect(expect) {
  const prototype = {}
  for (const name of Object.keys(expect(undefined))) {
    if (name in HOLDS) prototype[name] = quickMatcher(expect, name)
    else {
      Object.defineProperty(prototype, name, {
        get() {
          return expect(this.actual)[name]
        },
      })
    }
  }
  function Expectation(actual) {
    this.actual = actual
  }
  Expectation.prototype = prototype
  const quick = (actual) => new Expectation(actual)
  return Object.defineProperties(quick, {
    ...Object.getOwnPropertyDescriptors(expect),
    length: { value: 1 },
    name: { value: 'expect' },
  })
}

module.exports = { areEqual, HOLDS, quickExpect }
