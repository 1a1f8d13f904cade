/** The process of one contender: runs the loop that each message names, and sends its result. */

import * as native from '../contenders/native.mjs'
import * as wheel from '../contenders/wheel.mjs'
import { setAndFire } from '../loops/fire.mjs'
import { measureBytes } from '../loops/hold.mjs'
import * as loops from '../loops/index.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

/** @type {Record<string, () => Promise<Timers>>} */
const contenders = {
  native: async () => native.handles(),
  handles: async () => wheel.handles(await import('timeout-wheel')),
  numbers: async () => wheel.numbers(await import('timeout-wheel')),
}

const byName = /** @type {Record<string, (timers: Timers, options: any) => Promise<unknown>>} */ ({
  ...loops,
  setAndFire,
  measureBytes,
})

/** @param {string} id  One of `contenders`. */
export async function serve(id) {
  const timers = await contenders[id]()
  // One loop at a time: the next message comes after the answer.
  process.on('message', async (/** @type {{ loop: string, options: any }} */ { loop, options }) => {
    process.send?.(await byName[loop](timers, options))
  })
  process.on('disconnect', () => process.exit())
}
