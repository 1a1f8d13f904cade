/**
 * `process.getBuiltinModule`. Before Node 20.16, ES modules reach Node's modules only through an import of `node:module`, which takes
 * 0.4 ms. So that is a file of its own, which newer versions of Node do not load: entry/old-node.ts.
 */
import { BUILTINS } from './old-builtins.js'

const found: ((name: string) => unknown) | undefined =
  process.getBuiltinModule ?? Reflect.get(process, BUILTINS)
if (found === undefined) throw new Error('timeout-wheel needs process.getBuiltinModule, which is missing')

export const getBuiltin = found
