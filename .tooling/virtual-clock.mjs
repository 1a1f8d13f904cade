/**
 * Builds the clock for the programs of test/differential. It needs Linux.
 *
 *   node .tooling/virtual-clock.mjs
 *
 * Jest builds a missing clock before it runs any test: see `globalSetup` in jest.config.mjs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { root } from './step.mjs'

export async function buildVirtualClock() {
  if (process.platform !== 'linux') return
  await setUp(['addon'])
  await cmakeBuild('virtual-clock', 'virtual_clock')
}

/** Builds the clock if it is missing. */
export default async function buildMissingClock() {
  if (!existsSync(join(root, 'build/virtual-clock/virtual_clock.so'))) await buildVirtualClock()
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildVirtualClock()
