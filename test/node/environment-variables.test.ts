/** `TIMEOUT_WHEEL_BACKEND` chooses a build of the core, and `TIMEOUT_WHEEL_BUDGET` sets the initial budget of the shared wheel. */
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'
import { prints } from './prints.js'

describe('TIMEOUT_WHEEL_BACKEND', () => {
  /** Runs a timer with this value of the variable, and prints the backend. */
  const scriptFor = (value: string | undefined): string => `
    ${value === undefined ? 'delete' : ''} process.env.TIMEOUT_WHEEL_BACKEND ${value === undefined ? '' : `= '${value}'`}
    const { backend, setTimeout } = await import('timeout-wheel')
    setTimeout(() => console.log(backend), 1)`

  // test/packed tests the choice of an installed package.
  it.each([
    [undefined, [], 'native'],
    ['', [], 'native'],
    ['native', [], 'native'],
    ['wasm', [], 'wasm'],
    [undefined, ['--no-addons'], 'wasm'],
  ])('chooses with the value %p and the flags %p', async (value, flags, backend) => {
    expect(await run(scriptFor(value), flags)).toEqual({ ...CLEAN, lines: [backend] })
  })

  const ACCEPTED = "RangeError: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got"
  // test/packed/doctor.test.ts shows that `native` does not fall back.
  it.each(['Native', 'js', ' wasm'])('throws with the value %p', async (value) => {
    const stderr = expect.stringContaining(`${ACCEPTED} "${value}"`)
    expect(await run(scriptFor(value))).toMatchObject({ code: 1, lines: [], stderr })
  })

  it('runs on the addon without WebAssembly, and throws ERR_WASM_BACKEND from the entry wasm', async () => {
    const script = `
      ${scriptFor(undefined)}
      import * as wasm from 'timeout-wheel/wasm'
      try { wasm.setTimeout(() => {}, 1) } catch (error) { console.log(error.code) }`
    const lines = ['ERR_WASM_BACKEND', 'native']
    expect(await run(script, ['--jitless'])).toMatchObject({ code: 0, lines })
  })
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
