/** The wheel is woken when something is due, whatever it was sleeping for when that was set. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { wholeTurn } from './clock.js'

const HOUR = 3_600_000
/** What no machine is so busy as to need. */
const TOO_LATE = 10_000

onEachBackend(({ TimerWheel }) => {
  const outcome = (start: (done: (how: string) => void) => void): Promise<string> =>
    new Promise((resolve) => {
      // Where the process was stopped for as long, the wheel has its turn first.
      const guard = setTimeout(() => void wholeTurn().then(() => resolve('too late')), TOO_LATE)
      start((how) => {
        clearTimeout(guard)
        resolve(how)
      })
    })

  it('runs a short timer in time that is set while the wheel sleeps for a long one', async () => {
    const wheel = new TimerWheel()
    wheel.schedule(() => {}, HOUR)
    await wholeTurn()
    expect(await outcome((done) => wheel.schedule(done, 5, 'in time'))).toBe('in time')
    wheel.stop()
  })

  it('runs a timer in time that is brought forward while the wheel sleeps for it', async () => {
    const wheel = new TimerWheel()
    const ran = outcome((done) => {
      const id = wheel.schedule(done, HOUR, 'in time')
      void wholeTurn().then(() => wheel.reschedule(id, 5))
    })
    expect(await ran).toBe('in time')
    wheel.stop()
  })
})
