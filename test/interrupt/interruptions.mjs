/** Ways to interrupt operations. Each catches the errors of its interruption, and returns all other thrown values. */
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { isStackEnd, perform } from './operations.mjs'

const { apply } = Reflect

/**
 * Performs operations near the end of the stack: the first at its end, each of the others one frame further away.
 *
 * @param {number} words the shift of the frames from the end, in words of the stack
 * @returns {unknown[]} the other thrown values
 */
export function atStackEnd(operations, words) {
  const shifting = new Array(words + 1).fill(undefined)
  const errors = new Array(operations.length * 2 + 2).fill(undefined)
  let thrown = 0
  let next = 0
  function descend() {
    try {
      descend()
    } catch (error) {
      errors[thrown++] = error
    }
    if (next < operations.length) {
      shifting[0] = operations[next++]
      apply(perform, undefined, shifting)
    }
  }
  descend()
  return errors.filter((error) => error !== undefined && !isStackEnd(error))
}

/** Milliseconds after which operations end by themselves: if two limits expire at once, Node forgets the outer one. */
const PATIENCE = 200

/** The depth of nested calls: callbacks interrupt too. */
const bodies = []
const script = new Script('timeoutWheelBody()')
Object.defineProperty(globalThis, 'timeoutWheelBody', { value: () => bodies.at(-1)() })

/**
 * Performs operations until a time limit interrupts them at any point.
 *
 * @param {() => object[]} more makes further operations after all have been performed
 * @returns {unknown[]} the other thrown values
 */
export function untilTimeLimit(operations, milliseconds, more) {
  let list = operations
  const errors = []
  bodies.push(() => {
    const end = performance.now() + PATIENCE
    for (let next = 0; performance.now() < end; next++) {
      if (next === list.length) {
        list = more()
        next = 0
      }
      try {
        perform(list[next])
      } catch (error) {
        errors.push(error)
      }
    }
  })
  const depth = bodies.length
  try {
    script.runInThisContext({ timeout: milliseconds, displayErrors: false })
  } catch (error) {
    if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') errors.push(error)
  } finally {
    bodies.length = depth - 1
  }
  return errors.filter((error) => !isStackEnd(error))
}

/** The built-in functions that most operations call. A time limit can end them too, unless V8 has compiled them into their caller. */
const BUILT_IN = [
  [Math, ['abs', 'ceil', 'clz32', 'floor', 'log2', 'max', 'min', 'round', 'trunc']],
  [Map.prototype, ['delete', 'get', 'set']],
  [Array.prototype, ['at', 'pop', 'push']],
  [Object.getPrototypeOf(Int32Array.prototype), ['fill', 'set', 'subarray']],
]

class Interruption extends Error {}

/** The number of calls of built-in functions until one throws. */
let callsLeft = Number.POSITIVE_INFINITY

/** Replaces the built-in functions by those that can be interrupted. Node keeps the original ones for itself. */
export function makeBuiltInsThrow() {
  for (const [owner, names] of BUILT_IN) {
    for (const name of names) {
      const original = owner[name]
      const value = function (...args) {
        if (--callsLeft <= 0 && isCalledByLibrary()) {
          callsLeft = Number.POSITIVE_INFINITY
          throw new Interruption(name)
        }
        return apply(original, this, args)
      }
      Object.defineProperty(owner, name, { value, writable: true, configurable: true })
    }
  }
}

const library = fileURLToPath(new URL('../../dist/', import.meta.url))

function isCalledByLibrary() {
  // The lines are: the error, this function, the built-in function, its caller.
  return new Error('').stack.split('\n')[3].replace('file://', '').includes(library)
}

/**
 * Performs operations, and interrupts built-in functions that they call.
 *
 * @param {() => number} calls the number of calls after which an operation is interrupted
 * @returns {unknown[]} the other thrown values
 */
export function atBuiltIn(operations, calls) {
  const errors = []
  for (const operation of operations) {
    callsLeft = calls()
    try {
      perform(operation)
    } catch (error) {
      errors.push(error)
    } finally {
      callsLeft = Number.POSITIVE_INFINITY
    }
  }
  return errors.filter((error) => !(error instanceof Interruption))
}

/** Performs operations without an interruption. */
export function uninterrupted(operations) {
  const errors = []
  for (const operation of operations) {
    try {
      perform(operation)
    } catch (error) {
      errors.push(error)
    }
  }
  return errors
}
