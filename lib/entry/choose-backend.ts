/** Makes the exports of the entries for Node, on the addon or on WebAssembly, when an entry first needs them. */
import type { Timers } from '../api/timers.js'
import { budgetOfText } from '../common/checks.js'
import { DEFAULT_BUDGET } from '../common/constants.js'
import { outOfRange } from '../common/errors.js'
import type { Core, OpenCore } from '../memory/core.js'
import { openClockedCore, openLoopCore } from '../memory/native-core.js'
import { findAddon, loadAddon } from '../node/host/load-addon.js'
import { type Attempt, hasAddon, whyNoAddon } from '../node/host/no-addon.js'
import { type Host, nodeHost } from '../node/host/node-host.js'
import type { Client, OpenLoop, Platform } from '../node/host/platform.js'
import { lastingSingleton, singleton } from '../node/host/singletons.js'
import { onDemand } from '../node/on-demand/load.js'
import { familyOn } from '../node/timers.js'
import { timerWheelOn } from '../node/wheel.js'

/** The exports of an entry. `backend` names the build of the core that runs. */
type Entry<Name extends string> = Timers & { readonly backend: Name }

/** Shared with `timeout-wheel/testing`. */
export interface Testing {
  /** Drives a wheel instead of the usual driver. */
  follow?: (openCore: OpenCore, host: Host, tick: number, client: Client) => Core
  /** A wheel was opened. */
  isLate: boolean
}

const testing = lastingSingleton<Testing>('testing', () => ({ isLate: false }))

/** A platform whose wheels follow fake timers if the program has loaded `timeout-wheel/testing`. */
function platformOn(host: Host, openCore: OpenCore, open: OpenLoop): Platform {
  function openLoop(tick: number, client: Client): Core {
    testing.isLate = true
    if (testing.follow === undefined) return open(tick, client)
    warnIfHidden()
    return testing.follow(openCore, host, tick, client)
  }
  return { host, openCore, openLoop }
}

interface DenoPermissions {
  querySync?(descriptor: { name: 'env'; variable: string }): { state: string } | undefined
}

/**
 * Returns the value of a variable of the environment; undefined if there is none or it is empty. Deno asks its user before a program may read a variable, or
 * throws. So there, a variable counts only if the program may read it already.
 */
function variable(name: string): string | undefined {
  const { permissions } = (Reflect.get(globalThis, 'Deno') ?? {}) as { permissions?: DenoPermissions }
  const state = permissions?.querySync?.({ name: 'env', variable: name })?.state ?? 'granted'
  return (state === 'granted' && process.env[name]) || undefined
}

/** The initial budget of the shared wheel. @throws RangeError if `TIMEOUT_WHEEL_BUDGET` is not a budget */
function firstBudget(): number {
  const text = variable('TIMEOUT_WHEEL_BUDGET')
  return text === undefined ? DEFAULT_BUDGET : budgetOfText(text)
}

function entryOn<Name extends string>(backend: Name, platform: Platform): Entry<Name> {
  const family = familyOn(platform, firstBudget())
  return { TimerWheel: timerWheelOn(platform), backend, ...family }
}

/** @throws NativeBackendError if the addon does not load */
function makeNative(): Entry<'native'> {
  const { Wheel, report: handOver } = loadAddon()
  const host: Host = {
    ...nodeHost,
    // Most slices have no error. So the question for handlers comes with the error, not with each slice. Without a handler, the error leaves
    // the slice, and Node prints the line that has created it.
    catchesErrors: undefined,
    report(error) {
      if (!nodeHost.handlesErrors()) throw error
      handOver(error)
    },
    // An error of a next tick that leaves a slice would leave the ids of its tick on Node's stack.
    reportTick: handOver,
  }
  function open(tick: number, client: Client): Core {
    return openLoopCore(Wheel, tick, client)
  }
  const openCore: OpenCore = (tick, driver) => openClockedCore(Wheel, tick, driver)
  return entryOn('native', platformOn(host, openCore, open))
}

/** Warns once if the alarms of wheels can only be timers of `node:test`. */
function warnIfHidden(): void {
  const message =
    'timeout-wheel was loaded while mock.timers of node:test was on, which hides the real timers. On WebAssembly, and with ' +
    'timeout-wheel/testing, its timers do not run in real time. Load timeout-wheel before mock.timers.enable()'
  if (nodeHost.isHidden) singleton('hidden', () => nodeHost.warn(message, 'TimeoutWheelWarning'))
}

function makeWasm(): Entry<'wasm'> {
  const { instantiateWasm, openEventLoop, wasmCores } = onDemand()
  const openCore = wasmCores(instantiateWasm)
  const open: OpenLoop = (tick, client) => {
    warnIfHidden()
    return openEventLoop(openCore, nodeHost, tick, client)
  }
  return entryOn('wasm', platformOn(nodeHost, openCore, open))
}

// All entries come from one copy of the code, so that they share timers, numbers and ids.
export const { native, wasm } = singleton('entries', () => ({
  native: () => singleton('native', makeNative),
  wasm: () => singleton('wasm', makeWasm),
}))

/** @param failed gets the files of the addon that did not load */
function choose(forced: string | undefined, failed: Attempt[]): Entry<'native' | 'wasm'> {
  if (forced === 'wasm') return wasm()
  if (forced !== undefined && forced !== 'native')
    throw outOfRange('TIMEOUT_WHEEL_BACKEND', "'native' or 'wasm'", forced)
  return forced === 'native' || findAddon(failed) !== undefined ? native() : wasm()
}

/**
 * The addon, or WebAssembly if the addon does not load. `TIMEOUT_WHEEL_BACKEND` in the environment forces one, and `TIMEOUT_WHEEL_DEBUG=1`
 * prints the choice.
 */
export function nativeOrWasm(): Entry<'native' | 'wasm'> {
  const forced = variable('TIMEOUT_WHEEL_BACKEND')
  const failed: Attempt[] = []
  const entry = choose(forced, failed)
  if (variable('TIMEOUT_WHEEL_DEBUG') === '1') singleton('debug', () => printChoice(entry, forced, failed))
  return entry
}

/** In a program that loads the package twice, only the first choice is printed. */
function printChoice({ backend }: Entry<string>, forced: string | undefined, failed: Attempt[]): true {
  let why = backend === 'native' ? 'the addon loads' : 'the best backend for this platform'
  if (backend !== 'native' && hasAddon()) why = whyNoAddon(failed)
  if (forced !== undefined) why = 'TIMEOUT_WHEEL_BACKEND demands it'
  process.stderr.write(`timeout-wheel: backend ${backend}: ${why}\n`)
  return true
}
