/** No operation calls Node's timer functions: a `vm` time limit that interrupts one can make Node lose later timers. */
import { ENTRIES } from './backends.js'
import { prints } from './prints.js'

for (const entry of ENTRIES) {
  prints(`
    # ${entry} opens, sets, clears and stops without them, and ends its alarms in a microtask
    -> after the import 0 | called 0 | called 0 | after stop() true
    const sample = setTimeout(Object); clearTimeout(sample)
    const immediate = setImmediate(Object); clearImmediate(immediate)
    const called = new Set()
    /** Records the calls of these functions. */
    function record(owner, ...names) {
      for (const name of names) {
        const original = owner[name]
        owner[name] = function (...args) { called.add(name); return original.apply(this, args) }
      }
    }
    record(globalThis, 'setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate')
    for (const one of [sample, immediate]) record(Object.getPrototypeOf(one), 'ref', 'unref', 'hasRef')
    record(Object.getPrototypeOf(sample), 'refresh', 'close')
    const library = await import('${entry}')
    const timeouts = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    console.log('after the import', timeouts()); called.clear()
    function use(set, clear) {
      set(Object, 60_000)
      const timeout = set(Object, 60_000).refresh().unref().ref()
      clear(timeout); timeout.refresh(); clear(timeout)
    }
    use(library.setTimeout, library.clearTimeout)
    const { signal } = new AbortController()
    library.timeoutSignal(60_000)
    library.withTimeout(new Promise(Object), 60_000)
    library.timerGroup(Object, 60_000).add({})
    new library.TimeoutMap({ ttl: 60_000 }).set(1, 1)
    const wheels = [{}, { tick: 7 }, { asyncContext: false }].map((options) => new library.TimerWheel(options))
    for (const wheel of wheels) {
      use(wheel.setTimeout.bind(wheel), wheel.clearTimeout.bind(wheel))
      wheel.promises.setTimeout(60_000, 0, { signal }).catch(Object)
      wheel.promises.setInterval(60_000).next().catch(Object)
    }
    console.log('called', called.size, ...called)
    await null; called.clear()
    for (const wheel of wheels) wheel.stop()
    console.log('called', called.size, ...called)
    await null
    // The shared wheel has an alarm on WebAssembly.
    console.log('after stop()', timeouts() <= 1)
    process.exit()`)
}
