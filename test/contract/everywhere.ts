/** Interrupts an operation wherever an exception can, as a time limit of Node does: built-in functions throw, and the stack ends. */
import { scaled } from '../scale.js'

class Interruption extends Error {}

/** The number of calls of built-in functions until one throws; 0: none does. */
let callsLeft = 0
/** Whether it has thrown. The library can catch the error and go on. */
let isReached = false

const TypedArray = Object.getPrototypeOf(Int32Array) as typeof Int32Array

/** The built-in functions that throw. Tests must not rely on them while they interrupt. */
const BUILT_INS: [object, string[]][] = [
  [Array, ['from']],
  [Array.prototype, ['concat', 'filter', 'map', 'pop', 'push', 'reverse', 'slice', 'sort', 'splice']],
  [FinalizationRegistry.prototype, ['register', 'unregister']],
  [Map.prototype, ['clear', 'delete', 'get', 'set']],
  [Math, ['abs', 'ceil', 'clz32', 'floor', 'log2', 'max', 'min', 'round', 'trunc']],
  [Promise.prototype, ['finally', 'then']],
  [Reflect, ['apply', 'construct', 'get', 'ownKeys', 'set']],
  [Set.prototype, ['add', 'delete']],
  [TypedArray.prototype, ['fill', 'set', 'subarray']],
]

const { apply } = Reflect

/** Puts a function that can throw in the place of a method. */
function interruptCalls(owner: object, name: string, original: () => unknown): void {
  function value(this: unknown, ...args: []): unknown {
    if (callsLeft > 0 && --callsLeft === 0) {
      isReached = true
      throw new Interruption(name)
    }
    return apply(original, this, args)
  }
  Object.defineProperty(owner, name, { value, configurable: true, writable: true })
}

for (const [owner, names] of BUILT_INS) {
  for (const name of names) interruptCalls(owner, name, (owner as Record<string, () => unknown>)[name]!)
}

/** Lets an attempt interrupt each call of an object's methods too, as a time limit does. */
export function interruptMethods(object: object): void {
  for (let up: object = object; up !== Object.prototype; up = Object.getPrototypeOf(up)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(up))) {
      if (typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(object, name)) {
        interruptCalls(object, name, value)
      }
    }
  }
}

/** Runs code and makes call number `n` of a built-in function throw. Returns whether the code ran to its end. */
function untilBuiltIn(n: number, code: () => void): boolean {
  callsLeft = n
  try {
    code()
    return true
  } catch (error) {
    if (!(error instanceof Interruption)) throw error
    return false
  } finally {
    callsLeft = 0
  }
}

/** Looks for the messages of V8, JavaScriptCore and SpiderMonkey. The error can be one of Node's own realm. */
const isStackEnd = (error: unknown): boolean => /call stack size exceeded|too much recursion/.test(`${error}`)

/** Runs code at the end of the stack, with room for `n` calls of a small function. Returns whether it ran to its end. */
function untilStackEnd(n: number, code: () => void): boolean {
  let returned = 0
  let isDone = false
  let failure: unknown
  const descend = (): void => {
    try {
      descend()
    } catch {
      // This is the deepest frame.
    }
    if (returned++ !== n) return
    try {
      code()
      isDone = true
    } catch (error) {
      // Not examined here: V8 ends the process if it has to compile a regular expression at the end of the stack.
      failure = error
    }
  }
  descend()
  if (failure !== undefined && !isStackEnd(failure)) throw failure
  return isDone
}

/** Runs code, and interrupts it once. Returns whether the code ran to its end. */
export type Attempt = (code: () => void) => boolean

/** By default, of the places after the first 20 only each second one is interrupted. */
const stepAfter = (place: number): number => (place < 20 ? 1 : scaled(2, 1))

/**
 * Repeats a trial until its attempt was interrupted in every place: no built-in function is called for the nth time, or the stack has not
 * ended with room for 20 more calls. Throws if the places were so few that the test checks nothing.
 *
 * @param oneIn interrupts one of so many places, for an attempt that comes to the same places again for each of many timers
 * @param onlyCalls leaves out the ends of the stack
 */
export function everywhere(trial: (attempt: Attempt) => void, oneIn = 1, onlyCalls = false): void {
  let interruptions = 0
  for (const run of onlyCalls ? [untilBuiltIn] : [untilBuiltIn, untilStackEnd]) {
    const enough = run === untilBuiltIn ? 2 : 20
    for (let n = 1, step = 1, uninterrupted = 0; uninterrupted < enough; n += step) {
      let isDone = true
      isReached = false
      trial((code) => {
        const ran = run(n, code)
        isDone &&= ran
        return ran
      })
      step = Math.max(oneIn, stepAfter(n))
      uninterrupted = isDone && !isReached ? uninterrupted + step : 0
      if (!isDone) interruptions++
    }
  }
  if (interruptions < 10) throw new Error(`only ${interruptions} places were interrupted`)
}
