import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect

/** Runs a full garbage collection. Other runtimes than Node may lack what it needs, so it is prepared at the first call. */
export function collectGarbage() {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc')
  }
  collect()
}
