/** The package as Node loads it: what its entries export, made when it is first asked for. */
import { withTimeouts as withTimeoutsOf } from '../active_resources.js'
import { loadAddon, type NativeBackendError, openNativeBackend, openNativeCore } from '../backend/native.js'
import { openWasmCore } from '../backend/wasm_bytes.js'
import { HostBackend, type OpenAlarm } from '../drivers/host.js'
import { budgetOfText, unknownBackend } from '../errors.js'
import { immediates, nodeHost } from '../hosts/node.js'
import { quietAlarms } from '../hosts/quiet_timer.js'
import type { Immediates } from '../immediates.js'
import { onlyOne } from '../only_one.js'
import type { Platform } from '../open_scheduler.js'
import { familyOn, type Timers, timersOn, wheelOn } from '../timers.js'

export interface Entry<Backend extends string> extends Timers, Immediates {
  /** Which build of the core runs. */
  readonly backend: Backend
}

const DEFAULT_BUDGET = 5

/** The budget of the shared wheel at first. @throws RangeError if the environment has a text that is no budget */
function firstBudget(): number {
  const text = process.env.TIMEOUT_WHEEL_BUDGET
  return text === undefined || text === '' ? DEFAULT_BUDGET : budgetOfText(text)
}

/** @throws NativeBackendError where the addon does not load */
function makeNative(): Entry<'native'> {
  loadAddon()
  const platform = { host: nodeHost, openCore: openNativeCore, openBackend: openNativeBackend(nodeHost) }
  const { TimerWheel, ...family } = timersOn(platform, firstBudget())
  return { TimerWheel, backend: 'native', ...immediates, ...family }
}

function makeWasm(): Entry<'wasm'> {
  const platform = (openAlarm?: OpenAlarm): Platform => ({
    host: nodeHost,
    openCore: openWasmCore,
    openBackend: (tick, client) => new HostBackend(openWasmCore(), nodeHost, tick, client, openAlarm),
  })
  const family = familyOn(platform(quietAlarms(nodeHost)), firstBudget())
  return { TimerWheel: wheelOn(platform()), backend: 'wasm', ...immediates, ...family }
}

// Of one copy of the code, so that they know each other's timers, numbers and ids.
export const { native, wasm, withTimeouts } = onlyOne('entries', () => ({
  native: () => onlyOne('native', makeNative),
  wasm: () => onlyOne('wasm', makeWasm),
  withTimeouts: withTimeoutsOf,
}))

/** The addon where it loads, WebAssembly where it does not. `TIMEOUT_WHEEL_BACKEND` in the environment forces one. */
export function nativeOrWasm(): Entry<'native' | 'wasm'> {
  const forced = process.env.TIMEOUT_WHEEL_BACKEND
  if (forced === 'wasm') return wasm()
  if (forced !== undefined && forced !== '' && forced !== 'native') {
    throw unknownBackend(forced)
  }
  try {
    return native()
  } catch (error) {
    if (forced === 'native' || !hasNoAddon(error)) throw error
    return wasm()
  }
}

/** By its code: it may be of the other copy's class. */
function hasNoAddon(error: unknown): boolean {
  return (error as NativeBackendError).code === 'ERR_NATIVE_BACKEND'
}
