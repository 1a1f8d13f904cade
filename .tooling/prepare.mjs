/**
 * Builds what tests of Jest need beside the package: the virtual clock of test/differential. If it is missing, Jest builds it:
 * `globalSetup` in jest.config.mjs.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { root } from './step.mjs'

/** The clock needs Linux. */
export async function prepare() {
  if (process.platform === 'linux') await cmakeBuild('virtual-clock', 'virtual_clock')
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
  if (await setUp(['clock'], { canDoWithout: true })) await prepare()
}
