/** In a clone that cannot build all parts of the package, `npm pack` and `npm publish` name the remedy and make no tarball. */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from '@jest/globals'
import { run } from '../../.tooling/child.cjs'
import { temporaryFolder } from '../temporary-folder.js'
import { execute, type Outcome, ROOT } from './installed.js'

const clone = temporaryFolder()
beforeAll(async () => {
  for (const part of ['package.json', '.npmrc', '.tooling', 'README.md', 'LICENSE', 'docs'])
    cpSync(join(ROOT, part), join(clone, part), { recursive: true })
  // No compiler, and no apt-get that could install one.
  mkdirSync(join(clone, 'bin'))
  for (const program of ['npm', 'sh']) {
    const { stdout } = await run('sh', ['-c', `command -v ${program}`], { limit: 60_000 })
    symlinkSync(stdout.trim(), join(clone, 'bin', program))
  }
  symlinkSync(process.execPath, join(clone, 'bin/node'))
})

const npm = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  execute('npm', args, clone, { PATH: join(clone, 'bin'), ...env })

function expectRefusal({ code, stderr }: Outcome, remedy: string): void {
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(remedy) })
  expect(readdirSync(clone).filter((name) => name.endsWith('.tgz'))).toEqual([])
}

it('refuses to pack before npm install', async () => {
  expectRefusal(await npm(['pack']), 'tsdown is missing: run `npm install` first')
})

it('refuses to pack and to publish without the compilers, and names them', async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  const remedy = /apt-get install .* g\+\+-aarch64-linux-gnu g\+\+-mingw-w64-x86-64-posix\n/
  const outcome = await npm(['pack'])
  expectRefusal(outcome, 'Missing for addon, wasm, addon-linux-arm64, addon-win32-x64:')
  expect(outcome.stderr).toMatch(remedy)
  // Also for a user who has told npm to run no scripts.
  const published = await npm(['publish', '--dry-run'], { npm_config_ignore_scripts: 'true' })
  expectRefusal(published, 'Missing for addon, wasm, addon-linux-arm64, addon-win32-x64:')
})
