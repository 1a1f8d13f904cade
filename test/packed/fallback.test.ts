/** Which build an installed package loads. test/node/environment-variables tests the choice by flags and variables. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { ADDON, type Project, type Run, removeAddon, useProject } from './installed.js'

/** Runs a timer, then prints the backend. */
const SHOW_BACKEND = `
  import { backend, setTimeout } from 'timeout-wheel'
  setTimeout(() => console.log(backend), 1)`

const whole = useProject()
const removed = useProject(removeAddon)
const broken = useProject(({ packageFolder }) =>
  writeFileSync(join(packageFolder, ADDON), 'this is no shared library'),
)

// import.test.ts has the backend of a whole package.
it.each([
  ['missing', removed],
  ['broken', broken],
])('runs on WebAssembly if the addon is %s', async (_, project) => {
  const outcome = await project.run('backend.mjs', SHOW_BACKEND)
  expect(outcome).toEqual({ code: 0, stdout: 'wasm\n', stderr: '' })
})

const FORCE_NATIVE: Run = { env: { TIMEOUT_WHEEL_BACKEND: 'native' } }

it.each<[string, Project, 'forced.mjs' | 'forced.cjs', string, Run]>([
  ['a missing addon', removed, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
  ['a broken addon', broken, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
  ['--no-addons', whole, 'forced.mjs', SHOW_BACKEND, { ...FORCE_NATIVE, flags: ['--no-addons'] }],
  ["import 'timeout-wheel/native'", removed, 'forced.mjs', "import 'timeout-wheel/native'", {}],
  ["require('timeout-wheel/native')", removed, 'forced.cjs', "require('timeout-wheel/native')", {}],
])('throws an error with the platform, the path and the remedy: %s', async (_, project, file, text, run) => {
  const { code, stderr } = await project.run(file, text, run)
  expect(code).not.toBe(0)
  const found = [`${process.platform}-${process.arch}`, join(project.packageFolder, ADDON)]
  for (const part of [...found, 'timeout-wheel/wasm', 'ERR_NATIVE_BACKEND']) expect(stderr).toContain(part)
})

it("lets a program that catches the error of import('timeout-wheel/native') continue", async () => {
  const outcome = await removed.run(
    'caught.mjs',
    `await import('timeout-wheel/native').catch((error) => console.log(error.code))
    setTimeout(() => console.log('goes on'), 1)`,
  )
  expect(outcome).toEqual({ code: 0, stdout: 'ERR_NATIVE_BACKEND\ngoes on\n', stderr: '' })
})
