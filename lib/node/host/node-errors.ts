/** Errors about arguments with Node's own texts, for the functions that replace Node's. Loaded when the first is thrown. */

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
  if (value == null) return String(value)
  switch (typeof value) {
    case 'function':
      return `function ${value.name}`
    case 'object':
      return receivedObject(value)
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
export function invalidArgument(what: string, must: string, value: unknown): TypeError {
  return new NodeTypeError(`The ${what} must be ${must}. Received ${received(value)}`, 'ERR_INVALID_ARG_TYPE')
}

export function illegalConstructor(): TypeError {
  return new NodeTypeError('Illegal constructor', 'ERR_ILLEGAL_CONSTRUCTOR')
}

export function invalidThis(type: string): TypeError {
  return new NodeTypeError(`Value of "this" must be of type ${type}`, 'ERR_INVALID_THIS')
}
