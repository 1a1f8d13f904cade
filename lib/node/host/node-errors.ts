/** Errors with Node's own texts, for the functions that replace Node's. */

/** As in Node's errors, the code is part of the text and of the stack, but not of the name. */
class NodeTypeError extends TypeError {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    // Some engines format the stack when the error is made, others when the stack is first read.
    this.name = `TypeError [${code}]`
    const { stack } = this
    Reflect.deleteProperty(this, 'name')
    if (stack !== undefined) this.stack = stack
    this.code = code
  }

  override toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`
  }
}
Object.defineProperty(NodeTypeError.prototype, 'constructor', {
  value: TypeError,
  writable: true,
  configurable: true,
})

function received(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'undefined'
    case 'function':
      return `function ${value.name}`
    case 'object':
      return value === null ? 'null' : receivedObject(value)
    case 'string':
      return `type string (${quoted(value.length > 28 ? `${value.slice(0, 25)}...` : value)})`
    case 'bigint':
      return `type bigint (${value}n)`
    default:
      return `type ${typeof value} (${Object.is(value, -0) ? '-0' : String(value)})`
  }
}

function receivedObject(value: object): string {
  const name: unknown = value.constructor?.name
  if (typeof name === 'string' && name !== '') return `an instance of ${name}`
  const kind = Object.getPrototypeOf(value) === null ? '[Object: null prototype]' : '[Object]'
  return Object.keys(value).length === 0 ? `${kind} {}` : kind
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}

/** @param what the invalid value, such as `"delay" argument`; `must` is what it must be, such as `of type number` */
function invalidArgument(what: string, must: string, value: unknown): TypeError {
  return new NodeTypeError(`The ${what} must be ${must}. Received ${received(value)}`, 'ERR_INVALID_ARG_TYPE')
}

/** Checks the options of the functions of `timers/promises`. */
export function checkTimerOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidArgument('"options" argument', 'of type object', options)
  }
  // Each is read as often as by Node, because it can be a getter.
  const given = options as { signal?: unknown; ref?: unknown }
  if (given.signal !== undefined) checkSignal(given.signal)
  if (given.ref !== undefined) checkRef(given.ref)
}

function checkSignal(signal: unknown): void {
  if (signal === undefined || (typeof signal === 'object' && signal !== null && 'aborted' in signal)) return
  throw invalidArgument('"options.signal" property', 'an instance of AbortSignal', signal)
}

function checkRef(ref: unknown): void {
  if (typeof ref !== 'boolean') throw invalidArgument('"options.ref" property', 'of type boolean', ref)
}

/** Checks the delay of `timers/promises`: any number, or undefined. */
export function checkPromisedDelay(delay: unknown): void {
  if (delay !== undefined && typeof delay !== 'number') {
    throw invalidArgument('"delay" argument', 'of type number', delay)
  }
}

export function illegalConstructor(): TypeError {
  return new NodeTypeError('Illegal constructor', 'ERR_ILLEGAL_CONSTRUCTOR')
}

export function invalidThis(type: string): TypeError {
  return new NodeTypeError(`Value of "this" must be of type ${type}`, 'ERR_INVALID_THIS')
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
