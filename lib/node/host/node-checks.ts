/** Checks of arguments, and the error of an abort, for the functions that replace those of `timers/promises`. */
import type { Host } from './host.js'

/**
 * Checks a delay and options. Returns the promise of Node's own function, which refuses them with Node's own error; undefined if they are
 * valid. Each option is read as often as by Node, because it can be a getter.
 */
export function refusalOf(
  { promisedTimeout }: Host,
  delay: unknown,
  options: unknown,
): Promise<never> | undefined {
  const refuse = (refused: unknown, ms?: unknown) =>
    promisedTimeout(ms as number, undefined, refused as object) as Promise<never>
  if (delay !== undefined && typeof delay !== 'number') return refuse({}, delay)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return refuse(options)
  const given = options as { signal?: unknown; ref?: unknown }
  if (given.signal !== undefined) {
    const { signal } = given
    if (!isSignal(signal)) return refuse({ signal })
  }
  if (given.ref !== undefined) {
    const { ref } = given
    if (typeof ref !== 'boolean') return refuse({ ref })
  }
  return undefined
}

/** Whether Node takes a value for a signal. */
function isSignal(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && 'aborted' in value)
}

/** The error of a promise whose signal was aborted. */
export class AbortError extends Error {
  readonly code = 'ABORT_ERR'
  override readonly name = 'AbortError'

  /** @param signal undefined: no signal is the cause */
  constructor(signal?: AbortSignal) {
    super('The operation was aborted', signal && { cause: signal.reason })
  }
}
