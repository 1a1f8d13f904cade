/** One page has many wheels. */
import { expect, it } from '@jest/globals'
import { describeOn } from './engine.mjs'
import { usePages } from './pages.mjs'

const pages = usePages()

it('serves 50 wheels at once, each with its own ticks', async () => {
  const ran = await pages.run(async ({ TimerWheel }) => {
    const wheels = Array.from({ length: 50 }, (_, i) => new TimerWheel({ tick: i + 1 }))
    let ran = 0
    await new Promise((resolve) => {
      for (const wheel of wheels) {
        for (let i = 0; i < 10; i++) wheel.schedule(() => ++ran === 500 && resolve(), i * 10)
      }
    })
    return ran
  })
  expect(ran).toBe(500)
})

it('makes wheel after wheel if earlier ones are stopped, even if the program keeps them all', async () => {
  const made = await pages.run(({ TimerWheel }) => {
    const wheels = []
    // More wheels than fit into memory at once in Chromium and Firefox.
    for (let i = 0; i < 1100; i++) {
      const wheel = new TimerWheel()
      wheel.schedule(() => {}, 1000)
      wheel.stop()
      wheels.push(wheel)
    }
    return wheels.length
  })
  expect(made).toBe(1100)
})

describeOn(['chromium', 'firefox'], 'more wheels than there is memory for', 'thousands fit', () => {
  it('refuses one more wheel without harm to the others, until some are stopped', async () => {
    const { made, error, ran } = await pages.run(async ({ TimerWheel }) => {
      const wheels = []
      let error
      while (!error && wheels.length < 2000) {
        try {
          wheels.push(new TimerWheel())
        } catch (thrown) {
          const { name, code, message } = thrown
          error = { isRangeError: thrown instanceof RangeError, name, code, message }
        }
      }
      const made = wheels.length
      const ranOf = () =>
        Promise.all(wheels.map((wheel, i) => new Promise((resolve) => wheel.schedule(resolve, 5, i))))
      const ran = [(await ranOf()).length]
      for (const wheel of wheels.splice(0, made / 2)) wheel.stop()
      while (wheels.length < made) wheels.push(new TimerWheel())
      ran.push((await ranOf()).length)
      return { made, error, ran }
    })
    expect(error).toEqual({
      isRangeError: true,
      name: 'RangeError',
      code: 'ERR_WHEEL_FULL',
      message: expect.stringMatching(/^no more wheels \(.*memory.*\): stop\(\) unused wheels, or share one$/),
    })
    expect(made).toBeGreaterThan(100)
    expect(ran).toEqual([made, made])
  })
})
