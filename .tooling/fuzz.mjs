/**
 * Fuzzes the core against its model for a minute. libFuzzer keeps in build/fuzz the programs that reach new code, and each run begins
 * with those of earlier runs.
 *
 *   npm test -- fuzz [--seconds=60]
 *   npm test -- fuzz --replay=FILE    runs the program of one crash
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { fail, root, run, say } from './step.mjs'

const FOUND = 'build/fuzz/found'
const CRASHES = 'build/fuzz/crashes'
const SETTINGS = [
  ...[`-artifact_prefix=${CRASHES}/`, '-verbosity=0', '-timeout=30', '-print_final_stats=1'],
  // Longer programs reach no more code. By default the fuzzer begins with short ones, and a minute ends before they grow.
  ...['-max_len=1024', '-len_control=0'],
]

/** @param {string[]} options @returns {Promise<import('./counts.mjs').Count>} */
export async function fuzz(options) {
  const [, seconds = '60', file] =
    options.join(' ').match(/^(?:--seconds=([1-9]\d*)|--replay=(\S+))?$/) ??
    fail('usage: npm test -- fuzz [--seconds=N | --replay=FILE]')
  say('\nfuzz: building')
  await cmakeBuild('core-fuzz')
  if (file === undefined) rmSync(join(root, CRASHES), { recursive: true, force: true })
  for (const folder of [FOUND, CRASHES]) mkdirSync(join(root, folder), { recursive: true })
  const args = file === undefined ? [...SETTINGS, `-max_total_time=${seconds}`, FOUND] : [file]
  const limit = (Number(seconds) + 60) * 1_000
  if ((await run(join(root, 'build/core-fuzz/core_fuzz'), args, { limit })) === 0)
    return { passed: 1, failed: 0 }
  // libFuzzer also writes the programs that were only slow.
  const crashes = readdirSync(join(root, CRASHES)).filter((name) => !name.startsWith('slow-unit-'))
  if (file === undefined)
    for (const name of crashes) say(`replay: npm test -- fuzz --replay=${CRASHES}/${name}`)
  return { passed: 0, failed: 1 }
}
