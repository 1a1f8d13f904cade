/** An interval runs at the same times as on Node's timers, however long its callback takes. */
import { it } from '@jest/globals'
import { expectLikeNative } from './like-native.js'

it.each([0, 1, 2, 3, 7])('runs an interval of 2 ms like Node, with a callback of %d ms', async (busy) => {
  await expectLikeNative(`
    const start = performance.now()
    let n = 0
    const interval = setInterval(() => {
      log('at', performance.now() - start)
      if (${busy} > 0) busyWait(${busy})
      if (++n === 4) clearInterval(interval)
    }, 2)
    setTimeout(() => log('another', performance.now() - start), 9)
  `)
})
