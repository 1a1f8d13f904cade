import module from 'node:module'

// By another name than its own: webpack puts what it knows in the place of each call that it finds.
const requireFrom = module.createRequire

/** A module of Node's that is rarely needed: to import it would be paid for by every program. */
export function builtin(name: `node:${string}`): unknown {
  // Whatever file is named, these are found; and this one there is in a bundle, too.
  return requireFrom(process.execPath)(name)
}
