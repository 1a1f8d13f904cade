/** The main entry chooses a build of the core. test/packed tests the choice of an installed package. */
import { expect, it } from '@jest/globals'
import { CLEAN } from './backends.js'
import { run } from './child.js'

/** Runs a timer with this value of TIMEOUT_WHEEL_BACKEND, and prints the backend. */
function scriptFor(value: string | undefined): string {
  const set =
    value === undefined
      ? 'delete process.env.TIMEOUT_WHEEL_BACKEND'
      : `process.env.TIMEOUT_WHEEL_BACKEND = ${JSON.stringify(value)}`
  return `
    ${set}
    const { backend, setTimeout } = await import('timeout-wheel')
    setTimeout(() => console.log(backend), 1)
  `
}

it.each([undefined, ''])('chooses the addon if TIMEOUT_WHEEL_BACKEND is %p', async (value) => {
  expect(await run(scriptFor(value))).toEqual({ ...CLEAN, lines: ['native'] })
})

it.each(['native', 'wasm'])('obeys TIMEOUT_WHEEL_BACKEND=%s', async (name) => {
  expect(await run(scriptFor(name))).toEqual({ ...CLEAN, lines: [name] })
})

it('chooses WebAssembly with --no-addons', async () => {
  expect(await run(scriptFor(undefined), ['--no-addons'])).toEqual({ ...CLEAN, lines: ['wasm'] })
})

it('throws instead of falling back if the program requires the addon', async () => {
  const outcome = await run(scriptFor('native'), ['--no-addons'])
  expect(outcome).toMatchObject({ code: 1, lines: [] })
  expect(outcome.stderr).toContain('ERR_NATIVE_BACKEND')
})

it.each(['Native', 'js', ' wasm'])('refuses TIMEOUT_WHEEL_BACKEND=%p', async (name) => {
  const outcome = await run(scriptFor(name))
  expect(outcome).toMatchObject({ code: 1, lines: [] })
  expect(outcome.stderr).toContain(
    `RangeError: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got ${JSON.stringify(name)}`,
  )
})

it('runs on the addon without WebAssembly, and throws ERR_WASM_BACKEND from the entry wasm', async () => {
  expect(await run(scriptFor(undefined), ['--jitless'])).toMatchObject({ code: 0, lines: ['native'] })
  const script = `
    import { setTimeout } from 'timeout-wheel/wasm'
    try { setTimeout(() => {}, 1) } catch (error) { console.log(error.code) }
  `
  expect(await run(script, ['--jitless'])).toMatchObject({ code: 0, lines: ['ERR_WASM_BACKEND'] })
})

it('runs both builds side by side in one process', async () => {
  const outcome = await run(`
    import * as native from 'timeout-wheel/native'
    import * as wasm from 'timeout-wheel/wasm'
    // The order of timers on two wheels is not defined, so each sets the next.
    native.setTimeout(() => {
      console.log(native.backend)
      wasm.setTimeout(() => console.log(wasm.backend), 1)
    }, 1)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['native', 'wasm'] })
})
