/** Loads the file with the parts that a program uses only now and then: from ES modules, instead of load.ts. */
import { requireOf } from '../host/builtin.js'
import type * as features from './features.js'

let loaded: typeof features | undefined

/** @throws Error of Node if the file is not there */
export function onDemand(): typeof features {
  if (loaded !== undefined) return loaded
  // By a URL because tools that collect the files of a program, such as those of serverless platforms, follow that.
  const [require, path] = requireOf(new URL('./features.cjs', import.meta.url))
  loaded = whole(require(path) as typeof features, require, path)
  return loaded
}

/** Loads the file once more if an earlier load was interrupted: a `vm` timeout leaves a module without exports. */
export function whole(loaded: typeof features, require: NodeJS.Require, path: string): typeof features {
  // Not a read, of which Node warns.
  if ('openSignal' in loaded) return loaded
  delete require.cache[require.resolve(path)]
  return require(path) as typeof features
}
