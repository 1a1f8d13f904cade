/** The ids of a process: see forged-ids.test.ts for those of its wheels. */
import { expect, it } from '@jest/globals'
import { run } from '../node/child.js'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('never gives the id 0, which programs use for "no timer", or an id of a garbage-collected wheel', async () => {
    const outcome = await run(
      `
      import { setTimeout as sleep } from 'node:timers/promises'
      import { TimerWheel } from 'timeout-wheel/${backend.backend}'
      const ids = new Set()
      const use = () => {
        const wheel = new TimerWheel()
        ids.add(wheel.schedule(() => {}, 60_000))
        wheel.stop()
      }
      for (let i = 0; i < 5; i++) { use(); await sleep(5); gc(); await sleep(5) }
      console.log(ids.size, Math.min(...ids) > 0)
    `,
      ['--expose-gc'],
    )
    expect(outcome).toEqual({ code: 0, signal: null, stderr: '', lines: ['5 true'] })
  })

  it('does not let a finished handle affect the timer that took its record', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    const cleared = wheel.setTimeout(() => {}, 10)
    const number = +cleared
    cleared.close()
    wheel.setTimeout(() => ran++, 10)
    cleared.refresh().unref().ref().close()
    wheel.clearTimeout(cleared)
    wheel.clearTimeout(number)
    wheel.advance(10)
    expect(ran).toBe(1)
  })
})
