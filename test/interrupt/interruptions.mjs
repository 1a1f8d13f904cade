/** Ways to interrupt operations. Each catches the errors of its interruption, and returns all other thrown values. */
import { performance } from 'node:perf_hooks'
import { Script } from 'node:vm'
import { isStackEnd, perform } from './operations.mjs'

const { apply } = Reflect

/**
 * Performs operations near the end of the stack: the first at its end, each of the others one frame further away. `words` is the shift
 * of the frames from the end, in words of the stack. Returns the other thrown values.
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

/** Performs operations until a time limit interrupts them at any point. Returns the other thrown values. */
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
      attempt(list[next], errors)
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

/** Performs operations without an interruption. */
export function uninterrupted(operations) {
  const errors = []
  for (const operation of operations) attempt(operation, errors)
  return errors
}

function attempt(operation, errors) {
  try {
    perform(operation)
  } catch (error) {
    errors.push(error)
  }
}
