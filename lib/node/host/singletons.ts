/**
 * Values that a program has only once, even if it loads the package twice: as ES modules and as CommonJS. The first of the
 * two makes a value, and the other uses it. A copy of the package in another directory has its own values.
 */
import { endsWith, packageDirectory, packageFile } from './package-directory.js'

interface Registry {
  readonly made: Map<string, unknown>
  /** The files that use this registry. */
  readonly files: Set<string>
  /** The values that stay when a file is loaded again. */
  readonly lasting: Map<string, unknown>
}

/** The files in dist/ with this code. A bundle, which has another name, shares nothing. */
const BESIDE_NODE = ['/dist/register.mjs', '/dist/testing.mjs']
const FILES = ['/dist/node.mjs', '/dist/choose-backend.cjs', '/dist/whole/choose-backend.mjs', ...BESIDE_NODE]

const { made, lasting } = openRegistry()

function openRegistry(): Registry {
  const own: Registry = { made: new Map(), files: new Set(), lasting: new Map() }
  const name = FILES.find((file) => packageFile !== undefined && endsWith(packageFile, file))
  if (packageFile === undefined || name === undefined) return own
  own.files.add(packageFile)
  const key = Symbol.for(`timeout-wheel in ${packageDirectory}`)
  const known = Reflect.get(globalThis, key) as Registry | undefined
  // These have imported `node`, whose registry this is.
  if (known !== undefined && (BESIDE_NODE.includes(name) || !known.files.has(packageFile))) {
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
