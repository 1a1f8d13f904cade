import module from 'node:module'

/** The file that this code is in: a path, before Node 20.11 a URL; undefined where there is none or a bundle hides it. */
export const ownFile: string | undefined = import.meta.filename ?? fileUrl(import.meta.url)

function fileUrl(url: string | undefined): string | undefined {
  return url?.startsWith('file:') ? url : undefined
}

// By another name than its own: webpack puts what it knows in the place of each call that it finds.
const requireFrom = module.createRequire

/** A module of Node's that is rarely needed: to import it would be paid for by every program. */
export function builtin(name: `node:${string}`): unknown {
  // In the name of this file, as a policy may want it.
  return requireFrom(ownFile ?? '/')(name)
}

/** Loads an addon, once for all realms of a thread. @throws what Node throws where it cannot be loaded */
export function loadFrom(path: string): unknown {
  // A realm of the program's own, as test tools make one for each file: each load opens handles of the event loop for good.
  if (!(process.dlopen instanceof Function)) return requireFrom(path)(path)
  // Not `require`: an ES module would have Node start its loader of CommonJS for this.
  const module = { exports: {} }
  process.dlopen(module, path)
  return module.exports
}
