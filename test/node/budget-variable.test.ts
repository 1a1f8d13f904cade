/** `TIMEOUT_WHEEL_BUDGET` sets the initial budget of the shared wheel. */
import { expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

const ALL = [...ENTRIES, 'timeout-wheel'] as const

/** Prints how many of 30 callbacks of 0.5 ms run in the first turn that runs callbacks. */
function scriptFor(entry: string, configure = ''): string {
  return `
    import * as wheel from '${entry}'
    const { configure, setTimeout } = wheel
    ${configure}
    const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
    let ran = 0
    for (let i = 0; i < 30; i++) setTimeout(() => { ran++; busyWait(0.5) }, 1)
    busyWait(3)
    const look = () => ran === 0 ? setImmediate(look) : console.log(ran)
    look()
  `
}

it.each(ALL)('sets the initial budget of the shared wheel of %s', async (entry) => {
  const whole = await run(scriptFor(entry), [], { TIMEOUT_WHEEL_BUDGET: 'Infinity' })
  expect(whole).toEqual({ ...CLEAN, lines: ['30'] })
  const part = await run(scriptFor(entry), [], { TIMEOUT_WHEEL_BUDGET: '0.75' })
  expect(part).toMatchObject(CLEAN)
  expect(Number(part.lines[0])).toBeLessThanOrEqual(2)
})

it.each(ALL)('can be overridden by configure() of %s', async (entry) => {
  const script = scriptFor(entry, 'configure({ budget: Infinity })')
  expect(await run(script, [], { TIMEOUT_WHEEL_BUDGET: '1' })).toEqual({ ...CLEAN, lines: ['30'] })
})

it('defaults to 5 if it is empty', async () => {
  const outcome = await run(scriptFor('timeout-wheel'), [], { TIMEOUT_WHEEL_BUDGET: '' })
  expect(outcome).toMatchObject(CLEAN)
  expect(Number(outcome.lines[0])).toBeLessThanOrEqual(10)
})

const messageFor = (text: string): string =>
  `TIMEOUT_WHEEL_BUDGET must be a number of milliseconds above 0, or Infinity, got ${JSON.stringify(text)}`

it.each(ALL)('refuses every text that is not a budget: %s', async (entry) => {
  const texts = ['0', '-1', 'NaN', '5ms', ' ', 'much']
  const outcome = await run(`
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    for (const text of ${JSON.stringify(texts)}) {
      process.env.TIMEOUT_WHEEL_BUDGET = text
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      try {
        require('${entry}').setTimeout(() => {}, 1)
        console.log('accepted')
      } catch (error) {
        console.log(String(error))
      }
    }
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: texts.map((text) => `RangeError: ${messageFor(text)}`) })
})
