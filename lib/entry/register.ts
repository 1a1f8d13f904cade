/** `timeout-wheel/register`: puts the timers of `timeout-wheel` in the place of Node's when it is loaded. */
import { syncBuiltinESMExports } from 'node:module'
import nodeTimers from 'node:timers'
import nodePromises from 'node:timers/promises'
import { singleton } from '../node/host/singletons.js'
import { isPatched, type Patch, patch, unpatch } from '../node/patch-globals.js'
import { nativeOrWasm, withTimeouts } from './choose-backend.js'

// Not from `timeout-wheel` itself: to load one more file takes a millisecond.
const { setTimeout, clearTimeout, setInterval, clearInterval, promises } = nativeOrWasm()
const family = { setTimeout, clearTimeout, setInterval, clearInterval }
const promised = {
  setTimeout: promises.setTimeout,
  setInterval: promises.setInterval,
  scheduler: promises.scheduler,
}

function patchesOf(target: object, targetName: string, values: Record<string, unknown>): Patch[] {
  return Object.entries(values).map(([key, value]) => ({ target, key, value, name: `${targetName}.${key}` }))
}

function makePatches(): readonly Patch[] {
  const { getActiveResourcesInfo: nativeInfo } = process
  const info = {
    getActiveResourcesInfo(): string[] {
      return withTimeouts(nativeInfo.call(process), setTimeout)
    },
  }
  return [
    ...patchesOf(globalThis, 'globalThis', family),
    ...patchesOf(nodeTimers, 'node:timers', family),
    ...patchesOf(nodePromises, 'node:timers/promises', promised),
    ...patchesOf(process, 'process', info),
  ]
}

// Of one copy of the code: the other's may find these in Node's place.
const patches = singleton('patches', makePatches)

/**
 * Replaces `setTimeout`, `clearTimeout`, `setInterval` and `clearInterval` of `globalThis` and of `node:timers`, and
 * `setTimeout`, `setInterval` and `scheduler` of `node:timers/promises`, in this thread, and counts their timers in
 * `process.getActiveResourcesInfo()`. Loading the module does it.
 *
 * @returns whether it did: `false` where they were replaced before
 * @throws TypeError where one of them cannot be changed; then none is
 */
export function register(): boolean {
  if (isPatched(globalThis)) return false
  const done = patch(globalThis, patches)
  syncBuiltinESMExports()
  return done
}

/**
 * Puts back what was there before {@link register}. What somebody else has replaced since is left as it is, and tried
 * again by the next call. Timers that are pending stay pending, and are cleared by Node's `clearTimeout` as well.
 *
 * @returns the names of what was left, such as `'globalThis.setTimeout'`; empty: all is as it was
 */
export function unregister(): string[] {
  const left = unpatch(globalThis)
  syncBuiltinESMExports()
  return left
}

register()
