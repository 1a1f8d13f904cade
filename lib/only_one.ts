/**
 * What a program must have only one of, though it may load the package twice: as ES modules and as CommonJS. Whichever
 * comes first makes it, and the other takes it over. A copy of the package in another directory has its own.
 */
import { packageDirectory } from './package_directory.js'

const made = openRegistry()

function openRegistry(): Map<string, unknown> {
  const registry = new Map<string, unknown>()
  // A bundle is alone.
  if (packageDirectory === undefined) return registry
  const key = Symbol.for(`timeout-wheel in ${packageDirectory}`)
  const known = Reflect.get(globalThis, key) as Map<string, unknown> | undefined
  // A program that lets nobody add to what is global has one for each.
  if (known === undefined) Reflect.defineProperty(globalThis, key, { value: registry })
  return known ?? registry
}

/** What was made under this name before; else what `make` returns. */
export function onlyOne<T>(name: string, make: () => T): T {
  if (!made.has(name)) made.set(name, make())
  return made.get(name) as T
}
