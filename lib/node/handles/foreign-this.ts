/**
 * The methods of handles, called on a value that is no handle: `timeout.unref.call({})`. They call Node's own methods, so that
 * they return, throw and do the same as in this version of Node.
 */
import type { Host } from '../host/host.js'
import { symbolOf } from '../host/symbol-of.js'

export type Method =
  | 'ref'
  | 'unref'
  | 'hasRef'
  | 'refresh'
  | 'close'
  | typeof Symbol.toPrimitive
  | typeof Symbol.dispose

interface Nodes {
  readonly prototype: Partial<Record<Method, (this: unknown) => unknown>>
  /** The property of Node's timers and immediates that holds their number; undefined in other runtimes. */
  readonly number: symbol | undefined
}

let nodes: Nodes | undefined

function openNodes(host: Host): Nodes {
  const timer = host.outside(() => host.setTimeout(() => {}, 1))
  host.clearTimeout(timer)
  const number = symbolOf(timer, 'asyncId')
  nodes = { prototype: Object.getPrototypeOf(timer), number }
  return nodes
}

/** These methods of Node leave a symbol on the object. Its `ref` also counts a reference that nothing ever releases. */
const leavesSymbol = (method: Method) => method === 'ref' || method === Symbol.toPrimitive

/** Calls a method of Node's timers. `ref` and `Symbol.toPrimitive` leave nothing on a value that is not one of Node's. */
export function callForeign(host: Host, method: Method, value: unknown): unknown {
  const { prototype, number } = nodes ?? openNodes(host)
  // Node's methods throw for other values, because nothing can be written to them.
  if (leavesSymbol(method) && Object.isExtensible(value)) {
    const isNodes = number !== undefined && number in (value as object)
    if (!isNodes) return method === 'ref' ? value : undefined
  }
  // The timers of a test tool lack some of these methods.
  return prototype[method]?.call(value)
}
