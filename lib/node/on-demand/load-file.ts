/** Loads the file with the parts that a program uses only now and then, in the place of load.ts. */
import { loadFile } from '../host/builtin.js'
import type * as features from './features.js'

let loaded: typeof features | undefined

/**
 * The file is named by a URL because tools that collect the files of a program, such as those of serverless platforms, follow that.
 *
 * @throws Error of Node if the file is not there
 */
export function onDemand(): typeof features {
  loaded ??= loadFile(new URL('./features.cjs', import.meta.url)) as typeof features
  return loaded
}
