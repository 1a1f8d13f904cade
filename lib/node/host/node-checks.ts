/** Checks of arguments as Node's own, and the error of an abort, for the functions that replace Node's. */
import { onDemand } from '../on-demand/load.js'

/** Checks the arguments of the functions of `timers/promises`. @param delay any number, or undefined */
export function checkPromised(delay: unknown, options: unknown): void {
  if (delay !== undefined && typeof delay !== 'number') {
    throw onDemand().invalidArgument('"delay" argument', 'of type number', delay)
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw onDemand().invalidArgument('"options" argument', 'of type object', options)
  }
  // Each is read as often as by Node, because it can be a getter.
  const given = options as { signal?: unknown; ref?: unknown }
  if (given.signal !== undefined) checkSignal(given.signal)
  if (given.ref !== undefined) checkRef(given.ref)
}

function checkSignal(signal: unknown): void {
  if (signal === undefined || (typeof signal === 'object' && signal !== null && 'aborted' in signal)) return
  throw onDemand().invalidArgument('"options.signal" property', 'an instance of AbortSignal', signal)
}

function checkRef(ref: unknown): void {
  if (typeof ref !== 'boolean')
    throw onDemand().invalidArgument('"options.ref" property', 'of type boolean', ref)
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
