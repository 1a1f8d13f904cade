/**
 * The methods of handles, called on a value that is no handle: `timeout.unref.call({})`. They call Node's own methods, so that
 * they return, throw and do the same as in this version of Node.
 */
import type { Host } from '../host/host.js'

export type Method =
  | 'ref'
  | 'unref'
  | 'hasRef'
  | 'refresh'
  | 'close'
  | typeof Symbol.toPrimitive
  | typeof Symbol.dispose

type NodesPrototype = Partial<Record<Method, (this: unknown) => unknown>>

let prototype: NodesPrototype | undefined

function openPrototype(host: Host): NodesPrototype {
  const timer = host.outside(() => host.setTimeout(() => {}, 1))
  host.clearTimeout(timer)
  prototype = Object.getPrototypeOf(timer) as NodesPrototype
  return prototype
}

/** These methods of Node leave a symbol on the object. Its `ref` also counts a reference that nothing ever releases. */
const leavesSymbol = (method: Method) => method === 'ref' || method === Symbol.toPrimitive

/** Calls a method of Node's timers. `ref` and `Symbol.toPrimitive` leave nothing on a value that is not one of Node's. */
export function callForeign(host: Host, method: Method, value: unknown): unknown {
  const nodes = prototype ?? openPrototype(host)
  // Node's methods throw for other values, because nothing can be written to them.
  if (leavesSymbol(method) && Object.isExtensible(value)) {
    const isNodes = Object.prototype.isPrototypeOf.call(nodes, value as object)
    if (!isNodes) return method === 'ref' ? value : undefined
  }
  // The timers of a test tool lack some of these methods.
  return nodes[method]?.call(value)
}
