/**
 * Makes signals with a timer, and `withTimeout`, on Node.
 *
 * The methods of a signal are accessors of a prototype before `AbortSignal.prototype`: a function that is a property of the signal
 * itself would be cloned with it, which is an error. A page cannot clone a native signal either, so there the methods are properties
 * of the signal.
 */
import type { TimeoutSignal, TimeoutSignalOptions, WithTimeout } from '../../api/signal.js'
import { disposeSymbol } from '../../common/symbols.js'
import type { Kernel } from '../../kernel/kernel.js'
import { countdownsOn } from '../../wheel/countdown.js'
import {
  type Controller,
  makeSignal,
  type SignalMethods,
  type StartCountdown,
} from '../../wheel/timeout-signal.js'
import { withTimeoutOn } from '../../wheel/with-timeout.js'
import type { AsyncContextConstructor, Host } from '../host/node-host.js'

/** The property of a signal with its methods. A clone does not have it, because the key is a symbol. */
const methodsKey: unique symbol = Symbol('timeout-wheel.signal')

interface Timed {
  [methodsKey]: SignalMethods
}

interface Makers {
  readonly openController: () => Controller
  readonly give: (signal: AbortSignal, methods: SignalMethods) => void
}

/** Returns a function that makes a controller, and one that gives its signal the methods. */
function makers(): Makers {
  // Both classes of the same time, because test tools replace globals.
  const { AbortController, AbortSignal } = globalThis
  const prototype: object = {
    __proto__: AbortSignal.prototype,
    get clear() {
      return (this as unknown as Timed)[methodsKey].clear
    },
    get refresh() {
      return (this as unknown as Timed)[methodsKey].refresh
    },
    get [disposeSymbol]() {
      return (this as unknown as Timed)[methodsKey].clear
    },
  }
  return {
    openController: () => new AbortController(),
    give(signal, methods) {
      // In this order: with the other prototype, V8 takes up to 1 µs longer to add a property on Node 22.
      ;(signal as AbortSignal & Timed)[methodsKey] = methods
      Object.setPrototypeOf(signal, prototype)
    },
  }
}

/** What the signals of a host have in common; undefined before the first. */
let common: (Makers & { readonly Context: AsyncContextConstructor }) | undefined

/** An async context that tools of open handles pass over. */
function contextClass({ AsyncContext }: Host): AsyncContextConstructor {
  return class extends AsyncContext {
    hasRef(): boolean {
      return false
    }
  }
}

/** Makes a signal with a timer. @param hasContext whether listeners run in the async context of the call */
export function openSignal(
  host: Host,
  open: () => Kernel,
  hasContext: boolean,
  delay: number,
  options: TimeoutSignalOptions | undefined,
): TimeoutSignal {
  common ??= {
    ...makers(),
    Context: contextClass(host),
  }
  const { openController, give, Context } = common
  const start = countdownsOn(open)
  const startInContext: StartCountdown = (callback, ...rest) => {
    const context = new Context('Timeout', { requireManualDestroy: false })
    return start(() => context.runInAsyncScope(callback), ...rest)
  }
  return makeSignal(hasContext ? startInContext : start, openController, give, delay, options)
}

/** @param then the method of promises as it was when the package was loaded */
export function withTimeoutOf(open: () => Kernel, then: typeof Promise.prototype.then): WithTimeout {
  return withTimeoutOn(countdownsOn(open), then)
}
