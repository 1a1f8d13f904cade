/** Finds and loads the Node addon. */
import { checkLayout } from '../../memory/layout.js'
import type { AddonWheelConstructor } from '../../memory/native-core.js'
import { addonFile } from './addon-file.js'
import { builtin, isNode, loadFrom } from './builtin.js'
import { type Attempt, whyNoAddon } from './no-addon.js'
import { above, packageDirectory, packageFile, pathOf } from './package-directory.js'
import { lastingSingleton } from './singletons.js'

/** The size of the header of an ELF file for 64 bits. */
const HEADER = 64
/** Fields of the header: where the list of sections begins, and the bytes and the number of its entries. The list ends the file. */
const E_SHOFF = 40
const E_SHENTSIZE = 58
const E_SHNUM = 60

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

/**
 * Checks that a library of Linux is complete. While the system loads one that is cut off, it ends the process.
 *
 * @throws Error if the file is cut off, or no library at all; Node's error if it cannot be read
 */
function checkComplete(path: string): void {
  const { closeSync, fstatSync, openSync, readSync } = builtin('node:fs') as typeof import('node:fs')
  const header = new DataView(new ArrayBuffer(HEADER))
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, HEADER, 0)
    const list = header.getUint16(E_SHENTSIZE, true) * header.getUint16(E_SHNUM, true)
    const bytes = Number(header.getBigUint64(E_SHOFF, true)) + list
    const { size } = fstatSync(file)
    if (size < Math.max(bytes, HEADER)) throw new Error(`the file is cut off after ${size} bytes`)
  } finally {
    closeSync(file)
  }
}

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
