/** The installed package in Bun and Deno: the oldest version that it supports, and a recent one. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Project } from '../packed/installed.js'
import { commands, install, type Outcome, run } from './runtimes.js'

let project: Project
beforeAll(async () => {
  project = await install()
})
afterAll(() => project.remove())

/** The outcome of a program that printed these lines, and nothing else. */
const printed = (lines: string[]): Outcome => ({ code: 0, lines, stderr: '' })

const except = (names: RegExp) => commands.filter(({ name }) => !names.test(name))

describe.each(commands)('on $name', (command) => {
  it('each feature works', async () => {
    const { code, lines } = await run(command, project, 'programs/features.mjs')
    expect(lines.filter((line) => !line.endsWith(': works'))).toEqual([])
    expect({ code, features: lines.length }).toEqual({ code: 0, features: 18 })
  })

  it('a program lives as long as it has timers with a reference', async () => {
    expect(await run(command, project, 'programs/life.mjs')).toEqual(printed(['start', 'shared', 'wheel']))
  })

  it('a variable of the environment counts if the program may read it', async () => {
    const env = { TIMEOUT_WHEEL_BACKEND: 'native' }
    const { code, stderr } = await run({ ...command, env }, project, 'programs/life.mjs')
    if (command.name.includes('without')) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    else
      expect(stderr).toMatch(
        /no native addon for [\w-]+, (Bun|Deno) [\d.]+: addons with timers work only in Node/,
      )
  })

  it('register replaces the timers, and restores them', async () => {
    // Before 2.8, the global timers of a program in Deno are those of the web, and differ from those that packages see.
    const isGlobal = !/deno-2\.[06]/.test(command.name)
    const lines = [
      'again: false',
      'node:timers: true',
      'node:timers/promises: true',
      `global: ${isGlobal}`,
      'left: ',
      'restored: true',
      'after: false',
    ]
    expect(await run(command, project, 'programs/register.mjs')).toEqual(printed(lines))
  })

  it.each([
    [[], 'the measurement'],
    [['top', 'app.js'], "'top'"],
  ])('the command %j says that it needs Node', async (args, what) => {
    const outcome = await run(command, project, 'node_modules/timeout-wheel/dist/cli.mjs', ...args)
    expect(outcome).toMatchObject({ code: 1, lines: [] })
    const message = new RegExp(
      `^timeout-wheel: ${what} needs Node, and this is (Bun|Deno) [\\d.]+\\. The timers`,
    )
    expect(outcome.stderr).toMatch(message)
  })
})

// Bun 1.1.0 has no 'uncaughtException'.
describe.each(except(/bun-1\.1/))('on $name', (command) => {
  it('the timers after a callback that throws still run', async () => {
    const lines = ['first', 'caught second', 'third']
    expect(await run(command, project, 'programs/throws.mjs')).toEqual(printed(lines))
  })
})

// Servers of Bun 1.1 and of Deno 2.0 to 2.7 report no connections. In Deno, a server needs a permission.
describe.each(except(/bun-1\.1|deno-2\.[06]|without/))('on $name', (command) => {
  it('idle connections of a server are closed', async () => {
    expect(await run(command, project, 'programs/http.mjs')).toEqual(printed(['closed']))
  })
})
