/** Which commit a result was measured on, and whether what it measures has changed since. */
import { outputOf } from './processes.mjs'

const BUILT = 'lib native wasm CMakeLists.txt tsdown.config.ts .tooling/build.mjs .tooling/shorten.mjs'
// lib/api has only types.
const LEFT_OUT =
  'lib/api lib/types.ts lib/page lib/workerd lib/entry/workerd-host.ts lib/top lib/durable lib/entry/durable.ts native/core/testing'
/** What the parts in Node measure, if they name nothing else. */
export const IN_NODE = [...BUILT.split(' '), ...LEFT_OUT.split(' ').map((path) => `:!${path}`)]

const MEASURED = 'lib native wasm bench :!bench/results'.split(' ')

// In a container, the clone can belong to another user.
const git = async (...args) => (await outputOf('git', ['-c', 'safe.directory=*', ...args])).trim()

/** The commit, followed by `+` if the sources or the benchmark have other changes; null outside a repository. */
export async function findCommit() {
  try {
    const changes = await git('status', '--porcelain', '--', ...MEASURED)
    return `${await git('rev-parse', '--short=12', 'HEAD')}${changes === '' ? '' : '+'}`
  } catch {
    return null
  }
}

/** Why git cannot tell the age of a result, or undefined. */
export const whyUnknown = () =>
  git('rev-parse', '--is-shallow-repository').then(
    (isShallow) => (isShallow === 'true' ? 'this is a shallow clone' : undefined),
    () => 'this is no checkout of git',
  )

/**
 * Whether a part or its sources have changed after a run. A run on a commit that is not here, or on a changed tree, is stale too.
 */
export async function isStale({ name, file = name, sources = IN_NODE }, commit) {
  if (commit === null || commit.endsWith('+')) return true
  const files = [name, file].map((one) => `bench/parts/${one}.mjs`)
  const last = await git('log', '-1', '--format=%H', '--', ...files, ...sources, ':!*.md')
  return git('merge-base', '--is-ancestor', last, commit).then(
    () => false,
    () => true,
  )
}
