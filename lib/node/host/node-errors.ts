/** Errors in Node's own words, where programs get them from functions that stand in for Node's. */

/** The code stands in the text and in the stack, not in the name, as with Node's own. */
class NodeTypeError extends TypeError {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    // The stack's text is put together when it is made in some engines, when it is first read in others.
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

/** @param what what it is, as in `"delay" argument`, and what it must be, as in `of type number` */
function invalidArgument(what: string, must: string, value: unknown): TypeError {
  return new NodeTypeError(`The ${what} must be ${must}. Received ${received(value)}`, 'ERR_INVALID_ARG_TYPE')
}

/** What the functions of `timers/promises` take besides the delay and the value. */
export function checkTimerOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidArgument('"options" argument', 'of type object', options)
  }
  // Each is read as often as by Node: they may be getters.
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

/** The delay of `timers/promises`: a number of whatever size, or left out. */
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

/** What a promise is rejected with whose signal was aborted. */
export class AbortError extends Error {
  readonly code = 'ABORT_ERR'
  override readonly name = 'AbortError'

  constructor(signal: AbortSignal) {
    super('The operation was aborted', { cause: signal.reason })
  }
}
