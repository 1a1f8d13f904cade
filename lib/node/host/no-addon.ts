/** Says in one message why the addon does not run, for its error, TIMEOUT_WHEEL_DEBUG and `timeout-wheel doctor`. */
import { PLATFORMS } from '../../generated/platforms.js'
import { isNode } from './builtin.js'

/** A file that did not load as the addon, and the error. */
export interface Attempt {
  readonly path: string
  readonly error: unknown
}

/** The platform and the runtime, for messages. */
export function whereThisRuns(): string {
  const { node, bun, deno } = process.versions
  const runtime = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node}`
  return `${process.platform}-${process.arch}, ${runtime}`
}

/** Whether the package has an addon for this platform and runtime. Otherwise WebAssembly is the best backend. */
export const hasAddon = (): boolean => isNode && PLATFORMS.includes(`${process.platform}-${process.arch}`)

/** @param failed the files that were tried */
export function whyNoAddon(failed: readonly Attempt[]): string {
  const errors = failed.map(({ path, error }) => {
    const message = String((error as Error | null)?.message ?? error)
    return message.includes(path) ? message : `${path}: ${message}`
  })
  const isForbidden = failed.some(
    ({ error }) => (error as NodeJS.ErrnoException).code === 'ERR_DLOPEN_DISABLED',
  )
  let reason = errors.join('; ') || 'no file was found'
  let remedy = isForbidden
    ? 'start Node without --no-addons, or with --allow-addons if it has the permission model'
    : 'install timeout-wheel again on the machine that runs it, and leave it out of a bundle, or copy its folder prebuilds beside the bundle'
  if (!hasAddon()) {
    reason = isNode
      ? `the package has addons for ${PLATFORMS.join(', ')}`
      : 'addons with timers work only in Node itself'
    remedy = "import 'timeout-wheel', which runs on WebAssembly"
  }
  return `timeout-wheel has no addon for ${whereThisRuns()}: ${reason}\nTo mend this, ${remedy}`
}
