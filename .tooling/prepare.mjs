/**
 * Builds what tests of Jest need beside the package: the virtual clock of test/differential, and the traces of the core, which
 * test/trace replays on other builds. If the clock is missing, Jest builds it: `globalSetup` in jest.config.mjs.
 *
 *   node .tooling/prepare.mjs        with TIMEOUT_WHEEL_SEED=n: only the trace of that seed
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { mustRun, root } from './step.mjs'

/** It needs Linux. */
async function buildClock() {
  if (process.platform === 'linux') await cmakeBuild('virtual-clock', 'virtual_clock')
}

export async function prepare() {
  await buildClock()
  await cmakeBuild('core-tests-release', 'core_traces')
  mkdirSync(join(root, 'build/traces'), { recursive: true })
  await mustRun(join(root, 'build/core-tests-release/core_traces'), ['build/traces/core.bin'])
}

/** Makes the folder of a run's temporary files. It ends with this process, or with the run that has started it: Jest may be killed. */
export function openRunFolder() {
  const folder = mkdtempSync(join(process.env.TIMEOUT_WHEEL_RUN_FOLDER ?? tmpdir(), 'timeout-wheel-run-'))
  process.env.TIMEOUT_WHEEL_RUN_FOLDER = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 9 }))
}

/** Before the test files of a run of Jest. */
export default async function beforeTests() {
  openRunFolder()
  if (existsSync(join(root, 'build/virtual-clock/virtual_clock.so'))) return
  // Most tests do without it, on systems whose compilers are not there.
  if (await setUp(['clock'], { canDoWithout: true })) await buildClock()
}

if (process.argv[1] === import.meta.filename) await prepare()
