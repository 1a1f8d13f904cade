/** versions.test.ts compiles this program with `declaration`: a compiler can name what each public function returns. */
import * as timers from 'timeout-wheel'
import { scheduler, setImmediate, setInterval, setTimeout } from 'timeout-wheel/promises'
import { register, unregister } from 'timeout-wheel/register'
import * as wasm from 'timeout-wheel/wasm'

export const wheel = new timers.TimerWheel()
export const timeout = timers.setTimeout(() => {}, 5)
export const interval = timers.setInterval(() => {}, 5)
export const long = timers.setLongTimeout(() => {}, 5)
export const group = timers.timerGroup((item: string) => item, 5)
export const signal = timers.timeoutSignal(5)
export const within = timers.withTimeout(5, 5)
export const counts = timers.stats()
export const map = new timers.TimeoutMap<string, number>({ ttl: 5, wheel })
export const nothing = [timers.clearTimeout(timeout), timers.clearInterval(interval), timers.configure({})]

export const ofGroup = [group.add('item'), group.delete(5), group[Symbol.iterator](), group.stop()] as const
export const ofMap = [map.entries(), map.keys(), map.values(), map.get('key'), map.set('key', 5)] as const
export const timerOfWheel = wheel.setTimeout(() => {}, 5)
export const intervalOfWheel = wheel.setInterval(() => {}, 5)
export const id = wheel.schedule(() => {}, 5)
export const signalOfWheel = wheel.signal(5)
export const groupOfWheel = wheel.group((item: string) => item, 5)
export const countsOfWheel = wheel.stats()
export const promisesOfWheel = wheel.promises
export const left = wheel.stop()

export const waits = [setTimeout(5), setImmediate(), scheduler.wait(5), scheduler.yield()]
export const values = setInterval(5, 'value')
export const registered = [register(), unregister()] as const
export const onWasm = [new wasm.TimerWheel(), wasm.setTimeout(() => {}), wasm.stats()] as const
export const functions = { ...timers, wait: setTimeout, values: setInterval, soon: setImmediate, scheduler }
