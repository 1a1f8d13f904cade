/** Each kind of child is ended at its limit. In each test a program that sleeps takes the place of the real one. */
import { randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { type Outcome, run } from '../../.tooling/child.cjs'
import { inBench } from '../bench/in-bench.js'
import { virtualClock } from '../differential/clock.js'
import { run as runModule } from '../node/child.js'
import { execute } from '../packed/installed.js'
import { isNone, MARK, untilProcesses, Workspace } from './workspace.js'

const LIMIT = 30_000
let workspace: Workspace
beforeAll(() => {
  workspace = new Workspace()
  for (const name of ['apt-get', 'cmake', 'npm', 'qemu-aarch64-static', 'wine', 'chromium', 'Xvfb'])
    workspace.writeSleeper(`sleepers/${name}`)
  // All that a script finds if it must not find a program of the system.
  for (const name of ['sh', 'grep']) symlinkSync(`/bin/${name}`, join(workspace.folder, 'sleepers', name))
})
afterAll(() => workspace.remove())

/** Runs a module of the tools, whose limits are `patience` times as long. */
async function runTool(patience: number, script: string, path = process.env.PATH): Promise<Outcome> {
  const mark = randomUUID()
  const sleepers = join(workspace.folder, 'sleepers')
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: path === '' ? sleepers : `${sleepers}:${path}`,
    TIMEOUT_WHEEL_PATIENCE: `${patience}`,
    TIMEOUT_WHEEL_CHROMIUM: join(sleepers, 'chromium'),
    [MARK]: mark,
  }
  const file = workspace.write('script.mjs', script)
  const outcome = await run(process.execPath, [file], { cwd: workspace.folder, env, limit: LIMIT })
  expect(await untilProcesses(mark, isNone)).toEqual([])
  return outcome
}

;(process.platform === 'linux' ? describe : describe.skip)('ends at its limit', () => {
  it('a step of a tool', async () => {
    const { stdout, stderr } = await runTool(
      0.001,
      `import { run } from './.tooling/step.mjs'
      console.log(await run('cmake', ['--build']), await run('cmake', [], { quiet: true }))`,
    )
    expect(stdout).toBe('1 1\n')
    expect(stderr).toContain('cmake --build did not end within 0.6 s')
  })

  it('a step that must succeed, which ends the script', async () => {
    const { code, stderr } = await runTool(
      0.001,
      `import { cmakeBuild } from './.tooling/cmake.mjs'
      await cmakeBuild('core-tests')`,
    )
    expect(code).toBe(1)
    expect(stderr).toContain('cmake --preset core-tests did not end within 0.6 s')
    expect(stderr).toContain('cmake --preset core-tests failed (exit code 1)')
  })

  it('a program whose output a tool reads', async () => {
    const { code, stderr } = await runTool(
      0.001,
      `import { outputOf } from './.tooling/step.mjs'
      await outputOf('cmake', ['--version'])`,
    )
    expect(code).toBe(1)
    expect(stderr).toContain('cmake --version did not end within 0.6 s')
  })

  it('apt-get', async () => {
    const { code, stdout, stderr } = await runTool(
      0.0005,
      `import { setUp } from './.tooling/setup.mjs'
      process.getuid = () => 0
      await setUp(['valgrind'])`,
      '',
    )
    expect(code).toBe(1)
    expect(stderr).toContain('apt-get update -qq did not end within 0.45 s')
    expect(stdout).toContain('setup: apt-get update failed')
    expect(stderr).toContain(
      'apt-get install -y -qq --no-install-recommends valgrind did not end within 0.45 s',
    )
    expect(stderr).toContain('apt-get could not install all of them.')
  })

  it('npm', async () => {
    const { code, stderr } = await runTool(
      0.001,
      `import { nodeOfLine } from './.tooling/runtimes.mjs'
      await nodeOfLine(24)`,
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/npm install --prefix .* did not end within 0\.6 s/)
  })

  it.each([
    ['QEMU', 'linux-arm64', 'bin/node', /node script did not end within 0\.5 s/],
    ['Wine', 'win32-x64', 'bin/node.exe', /wine wineboot --init did not end within 0\.5 s/],
  ])('%s', async (_, platform, program, message) => {
    const name = `node-${platform.replace('win32', 'win')}`
    workspace.write(`build/nodes/20-${platform}/node_modules/${name}/${program}`, '')
    // The system may lack the libraries for the platform.
    workspace.write('.tooling/foreign-setup.mjs', 'export const setUp = async () => {}\n')
    const { stdout, stderr } = await runTool(
      1,
      `import { readFileSync, writeFileSync } from 'node:fs'
      const source = readFileSync('.tooling/foreign.mjs', 'utf8').replace('./setup.mjs', './foreign-setup.mjs')
      writeFileSync('.tooling/foreign-here.mjs', source)
      const { runForeign } = await import(process.cwd() + '/.tooling/foreign-here.mjs')
      console.log(await runForeign('${platform}', ['script'], 500))`,
    )
    expect(stdout).toBe('1\n')
    expect(stderr).toMatch(message)
  })

  it.each([
    ['chromium', /chromium could not be started: Timed out after 540 ms/],
    ['webkit', /TimeoutError|The operation was aborted/],
  ])('%s, which does not answer', async (engine, message) => {
    const { code, stderr } = await runTool(
      0.003,
      `import { launch } from './.tooling/browsers/index.mjs'
      await launch('${engine}')`,
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })

  it('a process of a benchmark', async () => {
    const sleeper = workspace.write('sleeper.mjs', 'setInterval(() => {}, 1_000)\n')
    const message = await inBench<string>(`
      import { relative } from 'node:path'
      import { runProgram } from './runner/processes.mjs'
      const file = relative('programs', ${JSON.stringify(sleeper)})
      show(await runProgram(file, [], { patience: 1 }).catch((error) => error.message))`)
    expect(message).toMatch(/sleeper\.mjs sent no result within 1 s$/)
  })
})

describe('ends at its limit, as a child of a test,', () => {
  const patience = process.env.TIMEOUT_WHEEL_PATIENCE
  const beImpatient = (factor: number): void => {
    process.env.TIMEOUT_WHEEL_PATIENCE = `${factor}`
  }
  afterEach(() => {
    delete process.env.TIMEOUT_WHEEL_PATIENCE
    if (patience !== undefined) process.env.TIMEOUT_WHEEL_PATIENCE = patience
  })
  const ENDLESS = 'setInterval(() => {}, 1_000)'

  it('a module', async () => {
    beImpatient(0.01)
    await expect(runModule(ENDLESS)).rejects.toThrow(
      `node --input-type=module --eval ${ENDLESS} did not end within 0.5 s`,
    )
  })

  it('a module under the virtual clock', async () => {
    const endless = run(process.execPath, ['-e', ENDLESS], {
      env: { ...process.env, ...virtualClock() },
      limit: 500,
    })
    await expect(endless).rejects.toThrow('did not end within 0.5 s')
  })

  it('a program of an installed project', async () => {
    beImpatient(0.01)
    await expect(execute('sleep', ['300'], __dirname)).rejects.toThrow('sleep 300 did not end within 0.6 s')
  })
})
