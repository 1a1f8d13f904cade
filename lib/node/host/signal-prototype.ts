/**
 * The methods of signals with a timer, on Node. They are accessors of a prototype before `AbortSignal.prototype`: a function that is a
 * property of the signal itself would be cloned with it, which is an error. A page cannot clone a native signal either, so there the
 * methods are properties of the signal.
 */
import type { Controller, SignalMethods } from '../../common/timeout-signal.js'

/** The property of a signal with its methods. A clone does not have it, because the key is a symbol. */
const methodsKey: unique symbol = Symbol('timeout-wheel.signal')

interface Timed {
  [methodsKey]: SignalMethods
}

export function giveMethods(signal: AbortSignal, methods: SignalMethods): void {
  ;(signal as AbortSignal & Timed)[methodsKey] = methods
}

/** Returns a prototype for signals with a timer. @param native the prototype of the host's signals */
export const prototypeOn = (native: object): object => ({
  __proto__: native,
  get clear() {
    return (this as unknown as Timed)[methodsKey].clear
  },
  get refresh() {
    return (this as unknown as Timed)[methodsKey].refresh
  },
})

/** Returns a function that makes controllers, whose signals get this prototype instead of their own. */
export const controllersWith = (Host: typeof AbortController, prototype: object) => (): Controller => {
  const controller = new Host()
  Object.setPrototypeOf(controller.signal, prototype)
  return controller
}
