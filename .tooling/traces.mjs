/**
 * Has the core run random programs natively and write down what it did, for test/trace to compare with.
 *
 *   node .tooling/traces.mjs        TIMEOUT_WHEEL_SEED=n for the program of that seed alone
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { mustRun, root } from './step.mjs'

export function writeTraces() {
  setUp(['tests'])
  cmakeBuild('core-tests-release', 'core_traces')
  mkdirSync(join(root, 'build/traces'), { recursive: true })
  mustRun(join(root, 'build/core-tests-release/core_traces'), ['build/traces/core.bin'])
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeTraces()
