/** Loads the file with the parts that a program uses only now and then: in CommonJS, instead of load.ts. */
import type * as features from './features.js'
import { whole } from './load-file.js'

let loaded: typeof features | undefined

/** @throws Error of Node if the file is not there */
export function onDemand(): typeof features {
  // By the `require` of this file, because test tools load it into realms of their own.
  loaded ??= whole(require('./features.cjs') as typeof features, require, './features.cjs')
  return loaded
}
