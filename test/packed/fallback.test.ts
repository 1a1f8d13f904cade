import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ADDON, type Outcome, type Project, packAndInstall, type Run } from './installed.js'

/** Runs a timer, then prints the backend. */
const SHOW_BACKEND = `
  import { backend, setTimeout } from 'timeout-wheel'
  setTimeout(() => console.log(backend), 1)`

const FORCE_NATIVE: Run = { env: { TIMEOUT_WHEEL_BACKEND: 'native' } }

async function backendOf(project: Project, options?: Run): Promise<string> {
  const { stdout, stderr } = await project.run('backend.mjs', SHOW_BACKEND, options)
  expect(stderr).toBe('')
  return stdout.trim()
}

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

describe('timeout-wheel runs on WebAssembly', () => {
  it('with node --no-addons', async () => {
    expect(await backendOf(whole, { flags: ['--no-addons'] })).toBe('wasm')
  })

  it('if the addon is missing', async () => {
    expect(await backendOf(removed)).toBe('wasm')
  })

  it('if the addon is broken', async () => {
    expect(await backendOf(broken)).toBe('wasm')
  })

  it('with TIMEOUT_WHEEL_BACKEND=wasm', async () => {
    expect(await backendOf(whole, { env: { TIMEOUT_WHEEL_BACKEND: 'wasm' } })).toBe('wasm')
  })
})

describe('timeout-wheel runs on the addon', () => {
  it('if it loads', async () => {
    expect(await backendOf(whole)).toBe('native')
  })

  it('with TIMEOUT_WHEEL_BACKEND=native', async () => {
    expect(await backendOf(whole, FORCE_NATIVE)).toBe('native')
  })
})

describe('timeout-wheel throws an error with the platform, the path and the remedy if a required addon does not load', () => {
  const expectTheError = ({ code, stderr }: Outcome, project: Project): void => {
    expect(code).not.toBe(0)
    expect(stderr).toContain(`${process.platform}-${process.arch}`)
    expect(stderr).toContain(join(project.packageFolder, ADDON))
    expect(stderr).toContain('timeout-wheel/wasm')
    expect(stderr).toContain('ERR_NATIVE_BACKEND')
  }

  it('with TIMEOUT_WHEEL_BACKEND=native and a missing addon', async () => {
    expectTheError(await removed.run('forced.mjs', SHOW_BACKEND, FORCE_NATIVE), removed)
  })

  it('with TIMEOUT_WHEEL_BACKEND=native and a broken addon', async () => {
    expectTheError(await broken.run('forced.mjs', SHOW_BACKEND, FORCE_NATIVE), broken)
  })

  it('with TIMEOUT_WHEEL_BACKEND=native and --no-addons', async () => {
    expectTheError(
      await whole.run('forced.mjs', SHOW_BACKEND, { ...FORCE_NATIVE, flags: ['--no-addons'] }),
      whole,
    )
  })

  it("from 'timeout-wheel/native'", async () => {
    expectTheError(await removed.run('native.mjs', "import 'timeout-wheel/native'"), removed)
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

  it("from require('timeout-wheel/native')", async () => {
    expectTheError(await removed.run('native.cjs', "require('timeout-wheel/native')"), removed)
  })
})

it('refuses another value of TIMEOUT_WHEEL_BACKEND', async () => {
  const { code, stderr } = await whole.run('forced.mjs', SHOW_BACKEND, {
    env: { TIMEOUT_WHEEL_BACKEND: 'gpu' },
  })
  expect(code).not.toBe(0)
  expect(stderr).toContain(`RangeError: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got "gpu"`)
})
