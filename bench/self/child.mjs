/** The process of one contender: runs the loop that each message names, and sends its result. */
import * as native from '../contenders/native.mjs'
import * as wheel from '../contenders/wheel.mjs'
import { measureBytes } from '../parts/hold.mjs'
import { refreshAll } from '../parts/refresh.mjs'
import { setAndClearAtOnce, setAndClearLater } from '../parts/set-clear.mjs'
import { setAndFire } from '../parts/set-fire.mjs'

const contenders = {
  native: async () => native.handles(),
  handles: async () => wheel.handles(await import('timeout-wheel')),
  numbers: async () => wheel.numbers(await import('timeout-wheel')),
}
const loops = { setAndClearAtOnce, setAndClearLater, refreshAll, measureBytes, setAndFire }

export async function serve(id) {
  const timers = await contenders[id]()
  // One loop at a time: the next message comes after the answer.
  process.on('message', async ({ loop, options }) => {
    process.send(await loops[loop](timers, options))
  })
  process.on('disconnect', () => process.exit())
}
