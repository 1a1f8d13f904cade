/** A program is warned, once, when it has 64 wheels that are neither stopped nor collected. */
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

describe.each(ENTRIES)('%s', (entry) => {
  const lines = async (body: string, flags: string[] = []): Promise<string[]> => {
    const outcome = await run(
      `import { TimerWheel, setTimeout } from '${entry}'
      const turn = () => new Promise((resolve) => globalThis.setImmediate(resolve))
      process.removeAllListeners('warning')
      process.on('warning', ({ name, message }) => console.log(name + ': ' + message))
      ${body}
      await turn()
      console.log('end')`,
      flags,
    )
    expect({ ...outcome, lines: [] }).toEqual({ ...CLEAN, lines: [] })
    return outcome.lines
  }
  const WARNING = 'TimerWheelWarning: 64 wheels are live: stop() unused wheels, or share one'

  it('says so at the 64th', async () => {
    const body = (wheels: number) => `
      const wheels = Array.from({ length: ${wheels} }, () => new TimerWheel())
      setTimeout(() => {}, 1)`
    expect(await lines(body(63))).toEqual(['end'])
    expect(await lines(body(64))).toEqual([WARNING, 'end'])
  })

  it('says so once', async () => {
    const body = `
      for (let round = 0; round < 3; round++) {
        const wheels = Array.from({ length: 70 }, () => new TimerWheel())
        await turn()
        for (const wheel of wheels) wheel.stop()
      }`
    expect(await lines(body)).toEqual([WARNING, 'end'])
  })

  it('does not count wheels that were stopped, however often', async () => {
    const body = `
      const kept = Array.from({ length: 62 }, () => new TimerWheel())
      for (let i = 0; i < 200; i++) {
        const wheel = new TimerWheel(i % 2 === 0 ? { driver: 'manual' } : {})
        wheel.stop()
        wheel.stop()
      }
      const last = new TimerWheel()`
    expect(await lines(body)).toEqual(['end'])
    expect(await lines(`${body}\nconst onceMore = new TimerWheel()`)).toEqual([WARNING, 'end'])
  })

  it('does not count wheels that were collected', async () => {
    const body = `
      for (let i = 0; i < 30; i++) {
        for (let n = 0; n < 10; n++) new TimerWheel()
        for (let n = 0; n < 5; n++) {
          await turn()
          gc()
        }
      }`
    expect(await lines(body, ['--expose-gc'])).toEqual(['end'])
  })
})
