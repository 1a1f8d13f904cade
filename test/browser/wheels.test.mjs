/** One page has many wheels. */
import { describeOn } from './engine.mjs'
import { usePages } from './pages.mjs'

const pages = usePages()

describeOn(['chromium', 'firefox'], 'more wheels than there is memory for', 'thousands fit', () => {
  it('refuses one more wheel without harm to the others, until some are stopped, even if the program keeps those', async () => {
    const { error, counts } = await pages.run(async ({ TimerWheel }) => {
      const wheels = []
      let error
      while (!error && wheels.length < 2000) {
        try {
          wheels.push(new TimerWheel({ tick: 1 + (wheels.length % 50) }))
        } catch (thrown) {
          error = String(thrown)
        }
      }
      const made = wheels.length
      const ranOf = () =>
        Promise.all(wheels.map((wheel, i) => new Promise((resolve) => wheel.schedule(resolve, 5, i))))
      const ran = (await ranOf()).length
      const stopped = []
      while (stopped.length < 1_100) {
        for (const wheel of wheels.splice(0, made / 2)) {
          wheel.schedule(() => {}, 1_000)
          wheel.stop()
          stopped.push(wheel)
        }
        while (wheels.length < made) wheels.push(new TimerWheel())
      }
      return { error, counts: { made, ran, ranInTheEnd: (await ranOf()).length } }
    })
    // test/page/drivers/page-host.test.ts has the other properties of the error.
    expect(error).toMatch(/^RangeError: no more wheels \(.*memory.*\): stop\(\) unused wheels, or share one$/)
    const { made } = counts
    expect(made).toBeGreaterThan(100)
    expect(counts).toEqual({ made, ran: made, ranInTheEnd: made })
  })
})
