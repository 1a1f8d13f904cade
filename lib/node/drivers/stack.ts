/** Checks for room on the stack before calls that a stack overflow must not interrupt. */

/** This many nested calls take more than 8 kB in every tier of the engine: room for some 20 frames of a host's functions. */
const DEPTH = 256

function descend(depth: number): number {
  return depth === 0 ? 0 : 1 + descend(depth - 1)
}

/**
 * Throws the engine's stack overflow error unless some kilobytes are left. Called before functions of the host that an
 * overflow would leave in a broken state. Node's timers and immediates are such functions.
 */
export function needStack(): void {
  descend(DEPTH)
}
