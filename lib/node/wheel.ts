/** The class `TimerWheel` on Node. */
import type { TimerWheelConstructor } from '../api/wheel.js'
import { CLEAR, type Clearable, HANDLE_BRAND } from '../common/symbols.js'
import { statsOf } from '../wheel/looks.js'
import { timerWheelClass, wheelOf } from '../wheel/timer-wheel.js'
import type { Wheel } from '../wheel/wheel.js'
import { clearOther } from './handles/extra.js'
import { timeoutsOn } from './handles/handle.js'
import type { MakeTimeout } from './handles/state.js'
import type { Platform } from './host/platform.js'
import { onDemand } from './on-demand/load.js'
import { openManualWheel, openWheel } from './open-wheel.js'
import { publishOpen } from './sight/channels.js'

const inspect = Symbol.for('nodejs.util.inspect.custom')

/** One line for `util.inspect` and `console.log`. A prototype, or another object that is no wheel, stays as it is. */
function inspectWheel(this: unknown): unknown {
  let wheel: Wheel
  try {
    wheel = wheelOf(this)
  } catch {
    return this
  }
  const { _name: name, _kernel: kernel, _virtual } = wheel
  const named = name === '' ? '' : `name: ${JSON.stringify(name)}, `
  const driver = _virtual === undefined ? 'host' : 'manual'
  const end = kernel._stopped ? ', stopped' : ''
  return `TimerWheel { ${named}pending: ${kernel._pending()}, tick: ${kernel._tick}, driver: '${driver}'${end} }`
}

/** The class of wheels that run on `platform`. */
export function timerWheelOn(platform: Platform): TimerWheelConstructor {
  const { host } = platform
  /** The functions that make handles, one with an async context and one without. Most programs need only one. */
  const made = new Map<boolean, MakeTimeout>()
  const makerWith = (asyncContext: boolean): MakeTimeout => {
    const make = made.get(asyncContext) ?? timeoutsOn(host, asyncContext).make
    made.set(asyncContext, make)
    return make
  }
  const TimerWheel = timerWheelClass({
    _open(options) {
      const open = options.driver === 'manual' ? openManualWheel : openWheel
      const wheel = open(platform, options)
      publishOpen(options.name, () => statsOf(wheel))
      const { asyncContext } = options
      return [
        wheel,
        makerWith(asyncContext),
        (delay, given) => onDemand().openSignal(host, () => wheel._kernel, asyncContext, delay, given),
      ]
    },
    _clear(timeout) {
      if ((timeout as Clearable | undefined)?.[HANDLE_BRAND] === undefined) clearOther(timeout, host)
      else (timeout as Clearable)[CLEAR] = true
    },
    _setImmediate: host.promisedImmediate,
  })
  Object.defineProperty(TimerWheel.prototype, inspect, {
    value: inspectWheel,
    configurable: true,
    writable: true,
  })
  return TimerWheel
}
