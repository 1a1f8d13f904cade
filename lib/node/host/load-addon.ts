/** Finds and loads the Node addon. */
import { checkLayout } from '../../memory/layout.js'
import type { AddonWheelConstructor } from '../../memory/native-core.js'
import { loadFrom } from './builtin.js'
import { isNode } from './is-node.js'
import { packageDirectory } from './package-directory.js'
import { lastingSingleton } from './singletons.js'

interface Addon {
  Wheel: AddonWheelConstructor
  layoutAt(i: number): number
}

/** The error if the addon does not load. The message names the platform, the path, the reason and the remedy. */
export class NativeBackendError extends Error {
  override readonly name = 'NativeBackendError'
  readonly code = 'ERR_NATIVE_BACKEND'
}

/** Node's report can take milliseconds, and Deno asks its user before it makes one. So it is made only in Node, for the message. */
function platformName(): string {
  const name = `${process.platform}-${process.arch}`
  if (process.platform !== 'linux' || !isNode) return name
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  const isMusl = report?.header !== undefined && report.header.glibcVersionRuntime === undefined
  return isMusl ? `${name} (musl)` : name
}

/** For messages alone: the names in `process.versions` are no proof. */
function runtimeName(): string {
  const { node, bun, deno } = process.versions
  return bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node}`
}

function failure(path: string, reason: string, cause?: unknown): NativeBackendError {
  return new NativeBackendError(
    `timeout-wheel has no native addon for ${platformName()}, ${runtimeName()}: ${reason} (tried ${path}). ` +
      "Import 'timeout-wheel' or 'timeout-wheel/wasm' to run on WebAssembly; " +
      'to build the addon, run `npm run build` in a clone of the package',
    { cause },
  )
}

let loaded: Addon | undefined

/** Loads the addon, once. @throws NativeBackendError if it does not load */
export function loadAddon(): Addon {
  if (loaded !== undefined) return loaded
  const file = `prebuilds/${process.platform}-${process.arch}/timeout_wheel.node`
  if (packageDirectory === undefined)
    throw failure(file, 'a bundle does not know where it is: leave timeout-wheel out of it')
  const path = `${packageDirectory}/${file}`
  // Other runtimes load the addon, but then Bun aborts in libuv, and in Deno timers never fire.
  if (!isNode) throw failure(path, 'addons with timers work only in Node itself')
  try {
    // Loaded once, because each load opens handles of the event loop that nothing closes.
    const addon = lastingSingleton(path, () => loadFrom(path)) as Addon
    checkLayout(addon.layoutAt)
    loaded = addon
    return addon
  } catch (cause) {
    throw failure(path, String((cause as Error | null)?.message), cause)
  }
}
