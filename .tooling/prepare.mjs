/**
 * Builds what tests of Jest need beside the package: the virtual clock of test/differential, and the traces of the core, which
 * test/trace replays on other builds. Jest calls it if one of them is missing: `globalSetup` in jest.config.mjs.
 *
 *   node .tooling/prepare.mjs        with TIMEOUT_WHEEL_SEED=n: only the trace of that seed
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { mustRun, root } from './step.mjs'

const TRACES = 'build/traces/core.bin'
// The clock needs Linux.
const HAS_CLOCK = process.platform === 'linux'
const FILES = [TRACES, ...(HAS_CLOCK ? ['build/virtual-clock/virtual_clock.so'] : [])]

export async function prepare() {
  await setUp(['addon', 'tests'])
  if (HAS_CLOCK) await cmakeBuild('virtual-clock', 'virtual_clock')
  await cmakeBuild('core-tests-release', 'core_traces')
  mkdirSync(join(root, 'build/traces'), { recursive: true })
  await mustRun(join(root, 'build/core-tests-release/core_traces'), [TRACES])
}

export default async function prepareMissing() {
  if (!FILES.every((file) => existsSync(join(root, file)))) await prepare()
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await prepare()
