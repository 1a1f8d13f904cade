import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ADDON, type Project, packAndInstall, type Run } from './installed.js'

/** Runs a timer, then prints the backend. */
const SHOW_BACKEND = `
  import { backend, setTimeout } from 'timeout-wheel'
  setTimeout(() => console.log(backend), 1)`

const FORCE_NATIVE: Run = { env: { TIMEOUT_WHEEL_BACKEND: 'native' } }

let whole: Project
let removed: Project
let broken: Project
beforeAll(async () => {
  whole = await packAndInstall()
  removed = whole.copy()
  rmSync(join(removed.packageFolder, ADDON))
  broken = whole.copy()
  writeFileSync(join(broken.packageFolder, ADDON), 'this is no shared library')
})
afterAll(() => {
  for (const project of [whole, removed, broken]) project.remove()
})

it.each([
  ['wasm', 'with node --no-addons', () => whole, { flags: ['--no-addons'] }],
  ['wasm', 'if the addon is missing', () => removed, {}],
  ['wasm', 'if the addon is broken', () => broken, {}],
  ['wasm', 'with TIMEOUT_WHEEL_BACKEND=wasm', () => whole, { env: { TIMEOUT_WHEEL_BACKEND: 'wasm' } }],
  ['native', 'if the addon loads', () => whole, {}],
  ['native', 'with TIMEOUT_WHEEL_BACKEND=native', () => whole, FORCE_NATIVE],
])('runs on the backend %s %s', async (backend, _how, project, options: Run) => {
  const { stdout, stderr } = await project().run('backend.mjs', SHOW_BACKEND, options)
  expect({ stdout, stderr }).toEqual({ stdout: `${backend}\n`, stderr: '' })
})

describe('throws an error with the platform, the path and the remedy if a required addon does not load', () => {
  it.each<[string, () => Project, 'forced.mjs' | 'native.mjs' | 'native.cjs', string, Run]>([
    ['a missing addon', () => removed, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
    ['a broken addon', () => broken, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
    ['--no-addons', () => whole, 'forced.mjs', SHOW_BACKEND, { ...FORCE_NATIVE, flags: ['--no-addons'] }],
    ["import 'timeout-wheel/native'", () => removed, 'native.mjs', "import 'timeout-wheel/native'", {}],
    ["require('timeout-wheel/native')", () => removed, 'native.cjs', "require('timeout-wheel/native')", {}],
  ])('%s', async (_how, project, file, source, options) => {
    const { code, stderr } = await project().run(file, source, options)
    expect(code).not.toBe(0)
    for (const text of [
      `${process.platform}-${process.arch}`,
      join(project().packageFolder, ADDON),
      'timeout-wheel/wasm',
      'ERR_NATIVE_BACKEND',
    ])
      expect(stderr).toContain(text)
  })

  it("from import('timeout-wheel/native'), and a program that catches it continues", async () => {
    const { code, stdout, stderr } = await removed.run(
      'caught.mjs',
      `await import('timeout-wheel/native').catch((error) => console.log(error.code))
      setTimeout(() => console.log('goes on'), 1)`,
    )
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'ERR_NATIVE_BACKEND\ngoes on\n',
      stderr: '',
    })
  })
})

it('refuses another value of TIMEOUT_WHEEL_BACKEND', async () => {
  const { code, stderr } = await whole.run('forced.mjs', SHOW_BACKEND, {
    env: { TIMEOUT_WHEEL_BACKEND: 'gpu' },
  })
  expect(code).not.toBe(0)
  expect(stderr).toContain(`RangeError: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got "gpu"`)
})
