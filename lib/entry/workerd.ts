/** `timeout-wheel` on workerd, which compiles no bytes: the WebAssembly module is a file. Only wheels that the program makes use it. */
import { timeoutMapClass } from '../map/timeout-map.js'
import type { WasmExports } from '../memory/instantiate-wasm.js'
import { wasmCores } from '../memory/wasm-core.js'
import { pageHostOf } from '../page/host.js'
import { timeoutSignalOn, withTimeoutOn } from '../page/signals.js'
import { configureOn, familyOn, setLongTimeoutOn, sharedWheel } from '../page/timers.js'
import { timerWheelOn } from '../page/wheel.js'
import { countdownsOn } from '../wheel/countdown.js'
import { timerGroupOn } from '../wheel/group.js'
import { noStats } from '../wheel/looks.js'
import { mapEntriesOn } from '../wheel/map-timer.js'
import { groupKernelOn, requestMapTimer, requestTimersOn } from '../workerd/request-timers.js'
import compiled from './timeout_wheel.wasm'

// Only the timers: they are not clamped on workerd, and a channel there belongs to the request that opens it.
const { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance, queueMicrotask } = globalThis
const globals = { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance }
const openCore = wasmCores(() => new WebAssembly.Instance(compiled).exports as unknown as WasmExports)
const host = pageHostOf(globals)
const timers = requestTimersOn(host)
const open = () => timers

export const { setTimeout, setInterval, clearTimeout, clearInterval } = familyOn(open, host)
export const TimerWheel = timerWheelOn(openCore, host, globals)
export const TimeoutMap = timeoutMapClass(
  mapEntriesOn((client) => requestMapTimer(host._now, queueMicrotask, client)),
)
export const setLongTimeout = setLongTimeoutOn(open)
export const timerGroup = timerGroupOn(() => groupKernelOn(countdownsOn(open)))
export const timeoutSignal = timeoutSignalOn(open)
export const withTimeout = withTimeoutOn(open)
// There is no shared wheel, so this only checks its options, and there is nothing to count or to list.
export const configure = configureOn(sharedWheel())
export const pendingTimers = () => []
export const stats = noStats
export const backend = 'wasm'
