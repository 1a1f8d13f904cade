/** `timeout-wheel doctor`: says which backend runs here and why, and what to do if it is not the best one. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PLATFORMS } from '../generated/platforms.js'
import type { Attempt } from '../node/host/load-addon.js'
import { errorIn, libcOf, platformName, runtimeName, whyNoAddon } from '../node/on-demand/help.js'
import { layoutHint, managerName } from './package-manager.js'

export const usage = `Usage: timeout-wheel doctor

Prints which backend of timeout-wheel runs on this machine and why, and what to
do if it is not the best one. Exits with 0 if the best backend runs, else with 1.

  -h, --help     print this`

/** Milliseconds within which a timer of 1 ms must run. */
const PATIENCE = 5000

/** What an entry of the package gives: timers, or an error. */
interface Entry {
  readonly backend: 'native' | 'wasm'
  setTimeout(callback: () => void, delay: number): unknown
}
interface Loaded {
  readonly entry?: Entry
  readonly error?: Error & { code?: string; failed?: readonly Attempt[] }
}

const require = createRequire(import.meta.url)
const directory = dirname(dirname(fileURLToPath(import.meta.url)))

/** By CommonJS: there the entry of the addon reads no variable. */
function load(name: string): Loaded {
  try {
    return { entry: require(name) as Entry }
  } catch (error) {
    return { error: error as Error }
  }
}

/** Whether a timer of the entry runs. */
function runs(entry: Entry): Promise<boolean> {
  return new Promise((resolve) => {
    // Node's own timer, which keeps the process alive.
    const limit = setTimeout(() => resolve(false), PATIENCE)
    entry.setTimeout(() => {
      clearTimeout(limit)
      resolve(true)
    }, 1)
  })
}

/** Whether the addon loads. */
function addonLines({ entry, error }: Loaded): string[] {
  if (entry !== undefined) return ['loads']
  const errors = (error?.failed ?? []).map((one) => {
    const message = errorIn(one)
    return `does not load: ${message.includes(one.path) ? message : `${one.path}: ${message}`}`
  })
  return errors.length > 0 ? errors : ['was not tried']
}

/** Why the package has this backend. */
function reasonOf(main: Loaded, native: Loaded, forced: string | undefined): string {
  if (main.entry === undefined) return `none: ${main.error?.message}`
  const { backend } = main.entry
  if (forced !== undefined) return `${backend}, because TIMEOUT_WHEEL_BACKEND is ${JSON.stringify(forced)}`
  if (backend === 'native') return 'native, because the addon loads'
  return `wasm, because ${native.error === undefined ? 'the addon did not load' : whyNoAddon(native.error.failed ?? [], directory).reason}`
}

const DRIVERS = {
  native: 'the timer of the addon in the event loop',
  wasm: 'a timer of the runtime in the event loop',
}

/** What to do; nothing if the best backend runs. */
function remedyOf(main: Loaded, native: Loaded, forced: string | undefined): string | undefined {
  if (main.entry?.backend === 'native') return undefined
  const { reason, remedy } = whyNoAddon(native.error?.failed ?? [], directory)
  if (native.entry !== undefined)
    return `remove TIMEOUT_WHEEL_BACKEND from the environment: the addon loads, and is faster`
  const mend = remedy && `${remedy}${layoutHint(directory)}`
  if (main.entry !== undefined) return mend === '' ? undefined : mend
  const why = `remove TIMEOUT_WHEEL_BACKEND from the environment, and the package runs on WebAssembly`
  return forced === 'native' && mend !== '' ? `${mend}; or ${why}` : `${why}, because ${reason}`
}

/** Prints lines beside a heading. */
function show(heading: string, ...lines: string[]): void {
  for (const [i, line] of lines.entries()) console.log(`${(i === 0 ? heading : '').padEnd(10)} ${line}`)
}

/** Reads the arguments after `doctor`. @throws Error with the argument that is wrong */
export function readCommand(args: string[]): 'help' | 'examine' {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } })
  return values.help ? 'help' : 'examine'
}

/** @returns the exit code: 0 if the best backend runs */
export async function run(): Promise<number> {
  const { version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as { version: string }
  const forced = process.env.TIMEOUT_WHEEL_BACKEND || undefined
  const main = load('timeout-wheel')
  const native = load('timeout-wheel/native')
  const hasRun = main.entry !== undefined && (await runs(main.entry))
  show('version', `timeout-wheel ${version}`)
  show('runtime', runtimeName())
  show('platform', `${platformName()} ${libcOf()?.version ?? ''}`.trim())
  show('package', directory)
  show(
    'addon',
    `${directory}/prebuilds/${process.platform}-${process.arch}/timeout_wheel.node`,
    ...addonLines(native),
    `the package has addons for ${PLATFORMS.join(', ') || 'no platform'}`,
  )
  show('backend', reasonOf(main, native, forced))
  if (main.entry !== undefined) show('driver', DRIVERS[main.entry.backend])
  show('manager', managerName(directory))
  const remedy = remedyOf(main, native, forced)
  if (remedy !== undefined) show('result', 'not the best backend', `to mend this, ${remedy}`)
  else if (!hasRun)
    show('result', `a timer of 1 ms did not run within ${PATIENCE / 1000} s: please report this`)
  else show('result', 'the best backend for this platform runs')
  return remedy === undefined && hasRun ? 0 : 1
}
