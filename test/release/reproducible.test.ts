/** Whoever builds an addon from the same sources gets the same bytes, whatever the folder: the SHA-256 of a release can be checked. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'

const ROOT = join(__dirname, '../..')
const HERE = `${process.platform}-${process.arch}`
/** Milliseconds for a build on a busy machine. */
const PATIENCE = 300_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'a-folder-whose-path-has-another-length-'))
  for (const part of ['native', 'CMakeLists.txt', 'CMakePresets.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cmake = (...args: string[]) => outputOf('cmake', args, { cwd: folder, limit: PATIENCE })

it.each(['linux-x64', 'linux-arm64', 'win32-x64'])(
  'builds the same addon for %s in another folder',
  async (platform) => {
    const preset = platform === HERE ? 'addon' : `addon-${platform}`
    await cmake('--preset', preset)
    await cmake('--build', '--preset', preset)
    const addon = `prebuilds/${platform}/timeout_wheel.node`
    expect(readFileSync(join(folder, addon)).equals(readFileSync(join(ROOT, addon)))).toBe(true)
  },
  2 * PATIENCE + 10_000,
)
