/** `TIMEOUT_WHEEL_BACKEND` chooses a build of the core, and `TIMEOUT_WHEEL_BUDGET` sets the initial budget of the shared wheel. */
import { ENTRIES } from './backends.js'
import { run } from './child.js'
import { prints } from './prints.js'

// test/packed has the choice of an installed package.
prints(`
  # TIMEOUT_WHEEL_BACKEND chooses nothing if it is empty, and is not trimmed
  -> native | RangeError: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got " wasm"
  import { createRequire } from 'node:module'
  const require = createRequire(process.cwd() + '/')
  for (const value of ['', ' wasm']) {
    process.env.TIMEOUT_WHEEL_BACKEND = value
    for (const file of Object.keys(require.cache)) delete require.cache[file]
    try { console.log(require('timeout-wheel').backend) } catch (error) { console.log(String(error)) }
  }`)

it('runs on the addon without WebAssembly, and throws ERR_WASM_BACKEND from the entry wasm', async () => {
  const script = `
    import { backend } from 'timeout-wheel'
    import * as wasm from 'timeout-wheel/wasm'
    try { wasm.setTimeout(() => {}, 1) } catch (error) { console.log(error.code, backend) }`
  expect(await run(script, ['--jitless'])).toMatchObject({ code: 0, lines: ['ERR_WASM_BACKEND native'] })
})

const WRONG = ['0', '-1', 'NaN', '5ms', ' ', 'much']
const BUDGETS = 'RangeError: TIMEOUT_WHEEL_BUDGET must be a number of milliseconds above 0, or Infinity, got'
const REFUSED = WRONG.map((text) => `${BUDGETS} ${JSON.stringify(text)}`)
for (const entry of [...ENTRIES, 'timeout-wheel'])
  prints(`
    # TIMEOUT_WHEEL_BUDGET sets the initial budget of ${entry}, which configure() replaces at any time, and no wrong one
    -> 30 30 | true true | ${REFUSED.join(' | ')}
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
    /** Returns how many of 30 callbacks of 0.5 ms run in the first turn that runs callbacks. */
    const slice = (value, options = {}) => new Promise((resolve) => {
      process.env.TIMEOUT_WHEEL_BUDGET = value
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      const assert = require('node:assert')
      const { configure, setTimeout } = require('${entry}')
      let ran = 0
      for (let i = 0; i < 30; i++) setTimeout(() => { ran++; busyWait(0.5) }, 20)
      configure(options)
      assert.throws(() => configure({ budget: 0.1, other: 1 }), TypeError)
      const look = () => ran === 0 ? setImmediate(look) : resolve(ran)
      // In the next turn: the last timers of a turn count from its end.
      setImmediate(() => {
        busyWait(25)
        look()
      })
    })
    console.log(await slice('Infinity'), await slice('1', { budget: Infinity }))
    console.log(await slice('0.75') <= 2, await slice('') <= 10)
    for (const text of ${JSON.stringify(WRONG)}) console.log(await slice(text).catch(String))`)
