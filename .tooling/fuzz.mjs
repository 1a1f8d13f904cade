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
import { setUp } from './setup.mjs'
import { fail, root, run, say } from './step.mjs'

const FOUND = 'build/fuzz/found'
const CRASHES = 'build/fuzz/crashes'
const SETTINGS = [
  ...[`-artifact_prefix=${CRASHES}/`, '-verbosity=0', '-timeout=30', '-print_final_stats=1'],
  // Longer programs reach no more code. By default the fuzzer begins with short ones, and a minute ends before they grow.
  ...['-max_len=1024', '-len_control=0'],
]

/**
 * @param {string[]} options
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function fuzz(options = []) {
  const [, name = 'seconds', value = '60'] = options.join(' ').match(/^--(seconds|replay)=(\S+)$/) ?? []
  if (options.length > 1 || (options.length === 1 && !options[0].startsWith(`--${name}=`)))
    fail('usage: npm test -- fuzz [--seconds=N | --replay=FILE]')
  await setUp(['fuzz'])
  say('\nfuzz: building')
  await cmakeBuild('core-fuzz')
  if (name === 'seconds') rmSync(join(root, CRASHES), { recursive: true, force: true })
  for (const folder of [FOUND, CRASHES]) mkdirSync(join(root, folder), { recursive: true })
  const args = name === 'replay' ? [value] : [...SETTINGS, `-max_total_time=${value}`, FOUND]
  if ((await run(join(root, 'build/core-fuzz/core_fuzz'), args)) === 0) return { passed: 1, failed: 0 }
  // libFuzzer also writes the programs that were only slow.
  for (const file of readdirSync(join(root, CRASHES)))
    if (!file.startsWith('slow-unit-')) say(`replay: npm test -- fuzz --replay=${CRASHES}/${file}`)
  return { passed: 0, failed: 1 }
}
