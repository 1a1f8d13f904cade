/**
 * What a program must have only one of, though it may load the package twice: as ES modules and as CommonJS. Whichever
 * comes first makes it, and the other takes it over. A copy of the package in another directory has its own.
 */
import { packageDirectory, packageFile } from './package-directory.js'

interface Registry {
  readonly made: Map<string, unknown>
  /** The files that have taken it. */
  readonly files: Set<string>
  /** What stays when a file is loaded again. */
  readonly lasting: Map<string, unknown>
}

const { made, lasting } = openRegistry()

function openRegistry(): Registry {
  const own: Registry = { made: new Map(), files: new Set(), lasting: new Map() }
  // What is in a bundle is alone.
  if (packageFile === undefined || !/[\\/]dist[\\/]choose-backend\.[cm]js$/.test(packageFile)) return own
  own.files.add(packageFile)
  const key = Symbol.for(`timeout-wheel in ${packageDirectory}`)
  const known = Reflect.get(globalThis, key) as Registry | undefined
  if (known !== undefined && !known.files.has(packageFile)) {
    known.files.add(packageFile)
    return known
  }
  // The first, or the same file again: the program has dropped what it had loaded, and wants it anew. One that lets nobody
  // add to what is global has one for each file.
  const value: Registry = { ...own, lasting: known?.lasting ?? own.lasting }
  Reflect.defineProperty(globalThis, key, { value, configurable: true })
  return value
}

/** What was made under this name before; else what `make` returns. */
export function singleton<T>(name: string, make: () => T): T {
  if (!made.has(name)) made.set(name, make())
  return made.get(name) as T
}

/** The same, but not made anew when the program loads the file again: nothing can close it. */
export function lastingSingleton<T>(name: string, make: () => T): T {
  if (!lasting.has(name)) lasting.set(name, make())
  return lasting.get(name) as T
}
