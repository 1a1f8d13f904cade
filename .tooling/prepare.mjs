/**
 * Builds what tests of Jest need beside the package: the virtual clock of test/differential, and the traces of the core, which
 * test/trace replays on other builds. If the clock is missing, Jest builds it: `globalSetup` in jest.config.mjs.
 *
 *   node .tooling/prepare.mjs        with TIMEOUT_WHEEL_SEED=n: only the trace of that seed
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
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

/** Before the test files of a run of Jest, which share a folder that ends with the run. */
export default async function beforeTests() {
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-run-'))
  process.env.TIMEOUT_WHEEL_RUN_FOLDER = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  if (!existsSync(join(root, 'build/virtual-clock/virtual_clock.so'))) await buildClock()
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await prepare()
