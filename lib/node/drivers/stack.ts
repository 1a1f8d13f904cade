/** Room on the stack, for calls that must not be interrupted by its end. */

/** So many calls of `descend` take more than 8 kB, however the engine runs it: some 20 frames of a host's functions. */
const DEPTH = 256

function descend(depth: number): number {
  return depth === 0 ? 0 : 1 + descend(depth - 1)
}

/**
 * Throws what the engine throws at the end of the stack, unless there is room for some kilobytes: to be called before a call
 * of the host's that leaves the host's own state in pieces when the stack ends in it. Node's timers and immediates do.
 */
export function needStack(): void {
  descend(DEPTH)
}
