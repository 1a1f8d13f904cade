/**
 * Builds the addons that the package contains, each from the start.
 *
 *   npm run prebuild                 for this platform, and for those that this system has cross compilers for
 *   npm run prebuild -- PLATFORM ... for the named platforms
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildAddonFor, CROSS_PLATFORMS } from './addon.mjs'
import { fail, platform, root, say } from './step.mjs'

const possible = [platform, ...(process.platform === 'linux' ? CROSS_PLATFORMS : [])]
const named = process.argv.slice(2)
const unknown = named.find((target) => !possible.includes(target))
if (unknown !== undefined) fail(`${unknown} cannot be built here, only ${possible.join(', ')}`)
for (const target of named.length > 0 ? named : possible) {
  const file = await buildAddonFor(target, { isFresh: true })
  const bytes = readFileSync(join(root, file))
  say(`${file}: ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`)
}
