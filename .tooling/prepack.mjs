/**
 * Builds all that the package contains, and prints the SHA-256 of each addon. npm runs this before `npm pack` and `npm publish`, so
 * that no tarball lacks a part or has an old one. If this system cannot build a part, the message names the remedy, and npm makes no
 * tarball. `npm pack --ignore-scripts` packs what is there: the tests of the tarball need the addon of their own platform only.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildAddonFor, CROSS_PLATFORMS, PLATFORMS } from './addon.mjs'
import { setUp } from './setup.mjs'
import { fail, localBin, mustRun, platform, root, say } from './step.mjs'

if (platform !== 'linux-x64')
  fail(`The addons cannot all be built on ${platform}, only on Linux for x64 (Debian, for example).`)
// Ends here, before compilers are installed, if the packages of npm are missing.
localBin('tsdown')
await setUp(['addon', 'wasm', ...CROSS_PLATFORMS.map((one) => `addon-${one}`)])
// Before the JavaScript, which lists them.
for (const target of PLATFORMS) {
  const file = await buildAddonFor(target)
  const bytes = readFileSync(join(root, file))
  say(`${file}: ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`)
}
await mustRun(process.execPath, ['.tooling/build.mjs'])
