/** The runtime: whether it is Node itself, and its modules and addons. */

const { getBuiltinModule, release, versions } = process as Partial<NodeJS.Process>
if (getBuiltinModule === undefined)
  throw new Error(
    'timeout-wheel needs process.getBuiltinModule: Node 20.19, Bun 1.2.23 or Deno 2.1, or a later version',
  )

/** Whether the runtime is Node itself. Bun and Deno offer Node's modules under Node's names, with Node's versions. */
export const isNode: boolean =
  release?.name === 'node' && versions?.bun === undefined && versions?.deno === undefined

/** Loads a module of Node. An import of several modules takes a quarter of a millisecond for each, and this takes a few microseconds. */
export const builtin = getBuiltinModule as (name: `node:${string}`) => unknown

/** Whether this is a realm of the program, as test tools make for each file. */
const isRealm = !(process.dlopen instanceof Function)

function requireFrom(path: string | URL): NodeJS.Require {
  return (builtin('node:module') as typeof import('node:module')).createRequire(path)
}

/** The `require` of an ES module, and the path of a file. */
export function requireOf(url: URL): [NodeJS.Require, string] {
  const { fileURLToPath } = builtin('node:url') as typeof import('node:url')
  return [requireFrom(url), fileURLToPath(url)]
}

/** Loads an addon, once for all realms of a thread. @throws Node's error if it cannot be loaded */
export function loadFrom(path: string): unknown {
  // Each load opens handles of the event loop for good.
  if (isRealm) return requireFrom(path)(path)
  // Not by `require`: from an ES module, that makes Node start its CommonJS loader.
  const module = { exports: {} }
  process.dlopen(module, path)
  return module.exports
}
