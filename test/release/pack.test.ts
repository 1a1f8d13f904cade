/** `npm pack` builds all that the package contains. */
import { join } from 'node:path'
import { execute, ROOT } from '../packed/installed.js'

const BUILT_HERE = ['linux-arm64', 'linux-x64', 'win32-x64']
/** Milliseconds for a build on a busy machine. */
const PATIENCE = 300_000

it(
  'packs the built files and the addon of each platform',
  async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts=false']
    const { code, stdout, stderr } = await execute('npm', args, ROOT, {}, PATIENCE)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const [packed] = Object.values(JSON.parse(stdout)) as [
      { files: { path: string }[]; unpackedSize: number },
    ]
    const paths = packed.files.map(({ path }) => path)
    expect(paths.filter((path) => path.startsWith('prebuilds/')).sort()).toEqual(
      [...BUILT_HERE].sort().map((one) => join('prebuilds', one, 'timeout_wheel.node')),
    )
    for (const entry of ['node.mjs', 'node.cjs', 'browser.mjs', 'cli.mjs', 'top.mjs', 'workerd/workerd.mjs'])
      expect(paths).toContain(`dist/${entry}`)
    expect(packed.unpackedSize).toBeLessThan(1_400_000)
  },
  PATIENCE + 10_000,
)
