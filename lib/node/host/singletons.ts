/**
 * Values that a program has only once, even if it loads the package twice: as ES modules and as CommonJS. The first of the
 * two makes a value, and the other uses it. A copy of the package in another directory has its own values.
 */
import { packageDirectory, packageFile } from './package-directory.js'

interface Registry {
  readonly made: Map<string, unknown>
  /** The files that use this registry. */
  readonly files: Set<string>
  /** The values that stay when a file is loaded again. */
  readonly lasting: Map<string, unknown>
}

const { made, lasting } = openRegistry()

function openRegistry(): Registry {
  const own: Registry = { made: new Map(), files: new Set(), lasting: new Map() }
  // A bundle shares nothing.
  if (packageFile === undefined || !/[\\/]dist[\\/](whole[\\/])?choose-backend\.[cm]js$/.test(packageFile))
    return own
  own.files.add(packageFile)
  const key = Symbol.for(`timeout-wheel in ${packageDirectory}`)
  const known = Reflect.get(globalThis, key) as Registry | undefined
  if (known !== undefined && !known.files.has(packageFile)) {
    known.files.add(packageFile)
    return known
  }
  // The first file, or one that the program has dropped and loads again. If `globalThis` is not extensible, each has its own registry.
  const value: Registry = { ...own, lasting: known?.lasting ?? own.lasting }
  Reflect.defineProperty(globalThis, key, { value, configurable: true })
  return value
}

/** Returns the value of this name. The first call makes it. */
export function singleton<T>(name: string, make: () => T): T {
  if (!made.has(name)) made.set(name, make())
  return made.get(name) as T
}

/** The same for a value that nothing can close. The value stays when the program loads the file again. */
export function lastingSingleton<T>(name: string, make: () => T): T {
  if (!lasting.has(name)) lasting.set(name, make())
  return lasting.get(name) as T
}
