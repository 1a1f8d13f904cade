/**
 * Runs random programs on the native core and writes down every operation and its result. The tests of test/trace replay
 * them on other builds and compare the results.
 *
 *   node .tooling/traces.mjs        with TIMEOUT_WHEEL_SEED=n: only the program of that seed
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { mustRun, root } from './step.mjs'

export async function writeTraces() {
  await setUp(['tests'])
  await cmakeBuild('core-tests-release', 'core_traces')
  mkdirSync(join(root, 'build/traces'), { recursive: true })
  await mustRun(join(root, 'build/core-tests-release/core_traces'), ['build/traces/core.bin'])
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeTraces()
