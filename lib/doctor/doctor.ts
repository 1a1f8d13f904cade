/** `timeout-wheel doctor`: says which backend runs here, and what to do if it is not the best one. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { hasAddon, whereThisRuns } from '../node/host/no-addon.js'

export const usage = `Usage: timeout-wheel doctor

Prints which backend of timeout-wheel runs on this machine, and what to do if
it is not the best one. Exits with 0 if the best backend runs, else with 1.

  -h, --help     print this`

interface Entry {
  readonly backend: 'native' | 'wasm'
}

const require = createRequire(import.meta.url)
const directory = dirname(dirname(fileURLToPath(import.meta.url)))

/** Loads an entry of the package by CommonJS: there the entry of the addon reads no variable. Returns its error if it throws. */
function load(name: string): Entry | Error {
  try {
    return require(name) as Entry
  } catch (error) {
    return error as Error
  }
}

/** Reads the arguments after `doctor`. @throws Error with the argument that is wrong */
export function readCommand(args: string[]): 'help' | 'examine' {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } })
  return values.help ? 'help' : 'examine'
}

/** @returns the exit code: 0 if the best backend runs */
export function run(): number {
  const { version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as { version: string }
  const main = load('timeout-wheel')
  console.log(`timeout-wheel ${version}, ${whereThisRuns()}, in ${directory}`)
  console.log(`backend: ${main instanceof Error ? 'none' : main.backend}`)
  if (!(main instanceof Error) && (main.backend === 'native' || !hasAddon())) {
    console.log('the best backend for this platform runs')
    return 0
  }
  const addon = load('timeout-wheel/native')
  const remedy = 'the addon loads: to use it, remove TIMEOUT_WHEEL_BACKEND from the environment'
  console.log(addon instanceof Error ? addon.message : remedy)
  return 1
}
