/**
 * Lets `node.mjs` load Node's modules before Node 20.16. package.json gives this file, by any-node.mjs, to all runtimes without the
 * condition `module-sync`, which Node has since 20.19 and 22.10.
 */
import { getBuiltin } from '../node/host/get-builtin.js'
import { BUILTINS } from '../node/host/old-builtins.js'

if (process.getBuiltinModule === undefined)
  Reflect.defineProperty(process, BUILTINS, { value: getBuiltin, configurable: true })
