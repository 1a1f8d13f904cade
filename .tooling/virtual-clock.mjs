/**
 * Builds the clock for the programs of test/differential. It needs Linux.
 *
 *   node .tooling/virtual-clock.mjs
 */
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'

export function buildVirtualClock() {
  if (process.platform !== 'linux') return
  setUp(['addon'])
  cmakeBuild('virtual-clock', 'virtual_clock')
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) buildVirtualClock()
