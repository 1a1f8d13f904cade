/**
 * @returns {string | undefined} the name of the runtime, if it is not Node. Node lists its own internal modules; others have none,
 *   as lib/node/host/is-node.ts says
 */
export function otherRuntime() {
  const loaded = /** @type {{ moduleLoadList?: string[] }} */ (/** @type {unknown} */ (process))
    .moduleLoadList
  if (loaded?.includes('NativeModule internal/timers')) return undefined
  const { bun, deno } = process.versions
  return bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : 'another runtime'
}
