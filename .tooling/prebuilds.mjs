/**
 * Builds the addons that the package contains, each from the start, and prints their SHA-256.
 *
 *   npm run prebuilds                 for each platform of the package
 *   npm run prebuilds -- PLATFORM ... for the named platforms
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildAddonFor, checkBuildable, PLATFORMS } from './addon.mjs'
import { root, say } from './step.mjs'

const named = process.argv.slice(2)
const targets = named.length > 0 ? named : PLATFORMS
checkBuildable(targets)
for (const target of targets) {
  const file = await buildAddonFor(target, { isFresh: true })
  const bytes = readFileSync(join(root, file))
  say(`${file}: ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`)
}
