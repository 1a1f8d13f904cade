/** Finds and loads the Node addon. */
import { checkLayout } from '../../memory/layout.js'
import type { AddonWheelConstructor } from '../../memory/native-core.js'
import { addonFile } from './addon-file.js'
import { builtin, loadFrom } from './builtin.js'
import { checkComplete } from './complete-file.js'
import { isNode } from './is-node.js'
import { type Attempt, whyNoAddon } from './no-addon.js'
import { above, packageDirectory, packageFile, pathOf } from './package-directory.js'
import { lastingSingleton } from './singletons.js'

interface Addon {
  Wheel: AddonWheelConstructor
  layoutAt(i: number): number
  /** Reports an error as an uncaught exception. Returns if something has taken it; otherwise the process or the worker ends. */
  report(error: unknown): void
}

/** The error if the addon does not load. The message names the platform, the file, the error of the file and the remedy. */
export class NativeBackendError extends Error {
  override readonly name = 'NativeBackendError'
  readonly code = 'ERR_NATIVE_BACKEND'

  constructor(failed: readonly Attempt[]) {
    super(whyNoAddon(failed), { cause: failed[0]?.error })
  }
}

let loaded: Addon | undefined

function loadFile(path: string, failed: Attempt[]): Addon | undefined {
  try {
    // Once, because each load opens handles of the event loop that nothing closes.
    const addon = lastingSingleton(path, () => {
      if (process.platform === 'linux') checkComplete(path)
      return loadFrom(path) as Addon
    })
    checkLayout(addon.layoutAt)
    return addon
  } catch (error) {
    failed.push({ path, error })
    return undefined
  }
}

/** Loads the addon, once. @param failed gets the files that did not load @returns undefined if no file loads */
export function findAddon(failed: Attempt[]): Addon | undefined {
  // Other runtimes load the addon, but then Bun aborts in libuv, and in Deno timers never fire.
  if (loaded !== undefined || !isNode) return loaded
  const platform = `${process.platform}-${process.arch}`
  const file = `prebuilds/${platform}/timeout_wheel.node`
  if (packageDirectory !== undefined) loaded = loadFile(`${packageDirectory}/${file}`, failed)
  loaded ??= loadCopy(platform, file, failed)
  return loaded
}

/** Loads the file to which a bundler has copied the addon. @param file the path of the addon in the package */
function loadCopy(platform: string, file: string, failed: Attempt[]): Addon | undefined {
  const { existsSync } = builtin('node:fs') as typeof import('node:fs')
  const { normalize } = builtin('node:path') as typeof import('node:path')
  const beside = packageFile === undefined ? undefined : `${above(packageFile)}/${file}`
  if (beside !== undefined && existsSync(beside)) return loadFile(beside, failed)
  const path = copyOf(platform)
  if (path === undefined) return undefined
  // A bundler that copies nothing leaves the path as it was. From a bundle, it leads to a folder that has nothing to do with the program.
  const folders = packageDirectory === undefined ? [] : [packageDirectory, above(packageDirectory)]
  const isUnchanged = folders.some((folder) => normalize(`${folder}/${file}`) === normalize(path))
  return isUnchanged ? undefined : loadFile(path, failed)
}

function copyOf(platform: string): string | undefined {
  try {
    const file = addonFile(platform)
    return typeof file === 'object' ? pathOf(file) : file
  } catch {
    // In a bundle as CommonJS there is no URL of the module.
    return undefined
  }
}

/** Loads the addon, once. @throws NativeBackendError if it does not load */
export function loadAddon(): Addon {
  const failed: Attempt[] = []
  const addon = findAddon(failed)
  if (addon !== undefined) return addon
  throw new NativeBackendError(failed)
}
