/** The wheel wakes up for each deadline, whatever deadline it was sleeping for when the timer was set. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { wholeTurn } from './clock.js'

const HOUR = 3_600_000
/** Longer than any delay on a busy machine. */
const TOO_LATE = 10_000

onEachBackend(({ TimerWheel }) => {
  const outcome = (start: (done: (how: string) => void) => void): Promise<string> =>
    new Promise((resolve) => {
      // If the process was suspended for that long, the wheel gets its turn first.
      const guard = setTimeout(() => void wholeTurn().then(() => resolve('too late')), TOO_LATE)
      start((how) => {
        clearTimeout(guard)
        resolve(how)
      })
    })

  it('runs a short timer on time that is set while the wheel sleeps until a long one', async () => {
    const wheel = new TimerWheel()
    wheel.schedule(() => {}, HOUR)
    await wholeTurn()
    expect(await outcome((done) => wheel.schedule(done, 5, 'in time'))).toBe('in time')
    wheel.stop()
  })

  it('runs a timer on time that is rescheduled earlier while the wheel sleeps until it', async () => {
    const wheel = new TimerWheel()
    const ran = outcome((done) => {
      const id = wheel.schedule(done, HOUR, 'in time')
      void wholeTurn().then(() => wheel.reschedule(id, 5))
    })
    expect(await ran).toBe('in time')
    wheel.stop()
  })
})
