/** Ways to interrupt operations. What they throw by that is caught here; all else is returned. */
import { performance } from 'node:perf_hooks'
import { Script } from 'node:vm'
import { isStackEnd, perform } from './operations.mjs'

const { apply } = Reflect

/**
 * Performs operations near the end of the stack: the first where the stack ends, each of the others a frame further from it.
 *
 * @param {number} words how far the frames are shifted against the end, in words of the stack
 * @returns {unknown[]} what was thrown
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

/** Milliseconds after which operations end by themselves: where two limits strike at once, Node forgets the outer one. */
const PATIENCE = 200

/** By nested calls, as callbacks interrupt too. */
const bodies = []
const script = new Script('timeoutWheelBody()')
Object.defineProperty(globalThis, 'timeoutWheelBody', { value: () => bodies.at(-1)() })

/**
 * Performs operations until a time limit ends that, wherever it is.
 *
 * @param {() => object[]} more makes further operations, when all have been performed
 * @returns {unknown[]} what was thrown
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

/** Performs operations to the end of each. */
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
