/** `timeout-wheel/register`: replaces Node's timers by those of `timeout-wheel` when it is loaded. */
import module from 'node:module'
import nodeTimers from 'node:timers'
import nodePromises from 'node:timers/promises'
import { type Patch, patch, patchesOf, unpatch } from '../common/patch-globals.js'
import { promisesOf } from '../common/promises.js'
import { singleton } from '../node/host/singletons.js'
import { clearInterval, clearTimeout, setInterval, setTimeout } from './node.js'

const family = { setTimeout, clearTimeout, setInterval, clearInterval }
const { setImmediate: _, ...promised } = promisesOf(setTimeout)

function makePatches(): readonly Patch[] {
  return [
    ...patchesOf(globalThis, 'globalThis', family),
    ...patchesOf(nodeTimers, 'node:timers', family),
    ...patchesOf(nodePromises, 'node:timers/promises', promised),
  ]
}

// Made by one copy of the code: the other copy would take these replacements for Node's functions.
const patches = singleton('patches', makePatches)

/** Makes the named exports of Node's modules follow their objects. */
function showReplaced(): void {
  try {
    module.syncBuiltinESMExports()
  } catch {
    // Not implemented in Deno before 2.7. Named exports stay the runtime's own.
  }
}

/**
 * Replaces `setTimeout`, `clearTimeout`, `setInterval` and `clearInterval` of `globalThis` and of `node:timers`, and
 * `setTimeout`, `setInterval` and `scheduler` of `node:timers/promises`, in this thread. In a page it replaces those of
 * `globalThis` alone. Loading the module calls this function.
 *
 * @returns whether it has replaced them: `false` if they were replaced before. Also `false`, with a warning, while a test tool has
 *   replaced `setTimeout`, and in a page where WebAssembly is missing or forbidden
 * @throws TypeError if one of them cannot be changed. Then none is changed
 */
export function register(): boolean {
  const done = patch(globalThis, patches, (message) => process.emitWarning(message, 'TimeoutWheelWarning'))
  if (done) showReplaced()
  return done
}

/**
 * Restores the functions from before {@link register}, except those that other code has replaced since; the next call tries
 * them again. Pending timers stay pending.
 *
 * @returns the names of the functions that were not restored, such as `'globalThis.setTimeout'`; empty if all were
 */
export function unregister(): string[] {
  const left = unpatch(globalThis)
  showReplaced()
  return left
}

register()
