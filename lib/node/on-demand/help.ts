/**
 * Says in words why the addon does not load, and what to do: for the error of the addon, TIMEOUT_WHEEL_DEBUG and `timeout-wheel doctor`.
 * A file of its own in dist/, which is loaded at the first use.
 */
import { PLATFORMS } from '../../generated/platforms.js'
import { isNode } from '../host/is-node.js'
import type { Attempt } from '../host/load-addon.js'

interface Meaning {
  readonly reason: string
  readonly remedy: string
}

const NOT_THERE = 'the file is not there'
const AGAIN = 'remove node_modules and install the packages again, on the machine that runs them'

/** The meanings of errors of the systems' loaders and of Node, by a part of their text. The first that fits counts. */
const MEANINGS: readonly ({ readonly part: RegExp } & Meaning)[] = [
  {
    part: /ERR_DLOPEN_DISABLED|loading addons is disabled|--allow-addons/i,
    reason: 'this process may not load addons',
    remedy: 'start Node without --no-addons, and with --allow-addons if it has --permission',
  },
  {
    part: /ERR_ACCESS_DENIED|access to this api has been restricted/i,
    reason: "Node's permissions forbid to read the file",
    remedy: 'start Node with --allow-fs-read for the folder of the package',
  },
  {
    // The third is how glibc names a library for another processor: a file that is missing does not get that far.
    part: /invalid elf|elf class|cannot open shared object file: no such file|elf file|file too short|exec format|cannot be read as|not a valid win32|incompatible architecture|not a mach-o|slice is not valid|is cut off/i,
    reason: 'the file is damaged, or it is for another platform',
    remedy: AGAIN,
  },
  {
    part: /no such file|cannot find module|module could not be found|image not found|ENOENT/i,
    reason: NOT_THERE,
    remedy: `${AGAIN}; if a tool has copied the program, let it copy the folder prebuilds of the package too`,
  },
  {
    part: /version .?(GLIBC|GLIBCXX|CXXABI)|symbol not found|undefined symbol|procedure could not be found/i,
    reason: 'this system or this Node lacks a function that the addon needs',
    remedy: 'use a newer release of the system or of Node',
  },
  {
    part: /failed to map segment|operation not permitted|permission denied|code signature|system policy|access is denied/i,
    reason: 'the system forbids to run code from the file',
    remedy:
      'install the package in a folder from which programs may run: one that is not mounted with noexec, and that no policy blocks',
  },
  {
    part: /another version|layoutAt/,
    reason: 'the addon is of another version of the package',
    remedy: AGAIN,
  },
]

function textOf(error: unknown): string {
  const { code = '', message = error } = (error ?? {}) as { code?: unknown; message?: unknown }
  return `${code} ${message}`
}

/** The meaning of the error of a file. */
export const meaningOf = (error: unknown): Meaning =>
  MEANINGS.find(({ part }) => part.test(textOf(error))) ?? { reason: 'the file does not load', remedy: AGAIN }

const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Why there is no addon, and what to do: nothing, as an empty text, if WebAssembly is the best backend here. */
export function whyNoAddon(failed: readonly Attempt[], directory: string | undefined): Meaning {
  const platform = `${process.platform}-${process.arch}`
  if (!isNode) return { reason: 'addons with timers work only in Node itself', remedy: '' }
  const isMissing = failed.every(({ error }) => meaningOf(error).reason === NOT_THERE)
  if (isMissing && !PLATFORMS.includes(platform))
    return { reason: `the package has addons only for ${list(PLATFORMS)}`, remedy: '' }
  if (directory === undefined)
    return {
      reason: 'a bundle does not know where it is',
      remedy: 'leave timeout-wheel out of the bundle',
    }
  return meaningOf(failed[0]?.error)
}

/**
 * The C library of Linux and its version, which Node's report tells. The report takes milliseconds. Deno asks its user before it makes one,
 * so only Node is asked.
 */
export function libcOf(): { name: 'glibc' | 'musl'; version: string } | undefined {
  const { report } = process as { report?: NodeJS.ProcessReport & { excludeNetwork?: boolean } }
  if (process.platform !== 'linux' || !isNode || report === undefined) return undefined
  const { excludeNetwork } = report
  // Otherwise the report asks for the names of the addresses of all sockets.
  report.excludeNetwork = true
  const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } }
  report.excludeNetwork = excludeNetwork ?? false
  const version = header?.glibcVersionRuntime
  return version === undefined ? { name: 'musl', version: '' } : { name: 'glibc', version }
}

/** The platform as in the names of the addons, and the C library of Linux. */
export function platformName(): string {
  const libc = libcOf()
  return `${process.platform}-${process.arch}${libc === undefined ? '' : `-${libc.name}`}`
}

/** For messages alone: the names in `process.versions` are no proof. */
export function runtimeName(): string {
  const { node, bun, deno } = process.versions
  return bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node}`
}

export const errorIn = ({ error }: Attempt): string => String((error as Error | null)?.message ?? error)

/** The message of the error if the addon was requested and does not load. */
export function messageFor(failed: readonly Attempt[], directory: string | undefined): string {
  const { reason, remedy } = whyNoAddon(failed, directory)
  const tried = failed.map((one) => `${one.path}: ${errorIn(one)}`).join('; ')
  return (
    `timeout-wheel has no native addon for ${platformName()}, ${runtimeName()}: ${reason}` +
    `${tried && ` (tried ${tried})`}. ${remedy && `To mend this, ${remedy}. `}` +
    "Import 'timeout-wheel' or 'timeout-wheel/wasm' to run on WebAssembly"
  )
}

/** The lines of TIMEOUT_WHEEL_DEBUG: what was tried, what failed and what to do. */
export function choiceOf(
  backend: string,
  forced: string | undefined,
  failed: readonly Attempt[],
  directory: string | undefined,
): string[] {
  const lines = failed.map((one) => `tried ${one.path}: ${errorIn(one)}`)
  if (backend === 'native') lines.push('the addon is loaded')
  else if (forced === undefined) {
    const { reason, remedy } = whyNoAddon(failed, directory)
    lines.push(`the addon does not run: ${reason}`, ...(remedy ? [`to mend this, ${remedy}`] : []))
  }
  const why = forced === undefined ? '' : `, as TIMEOUT_WHEEL_BACKEND demands`
  const head = `${platformName()}, ${runtimeName()}, package in ${directory ?? 'a bundle'}`
  return [head, ...lines, `backend: ${backend}${why}`].map((line) => `timeout-wheel: ${line}`)
}
