/**
 * Makes and tests what is published. Only the workflow .github/workflows/release.yml publishes it: push a tag.
 *
 *   npm run release -- --dry-run         builds and tests, and writes the tarball, SHA256SUMS and the list of the parts into build/release.
 *                                        Prints what is missing for a release
 *   npm run release -- --pack            the same, and fails if something is missing
 *   npm run release -- --test=BACKEND    tests the tarball in build/release on this system, where this backend must run
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fail, filesUnder, mustRun, outputOf, root, say } from './step.mjs'

const FOLDER = join(root, 'build/release')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = `timeout-wheel-${manifest.version}`

/** The fields of package.json that whoever publishes the package has to fill in, because they name public addresses. */
const PUBLIC = {
  repository: 'the public sources. npm publishes only from the workflow of this repository',
  homepage: 'the site of the documents',
  bugs: 'the page for issues. SECURITY.md sends private reports there',
}

/** What only the releaser can supply, and what a release must not forget. @returns {Promise<string[]>} */
async function missing() {
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const { GITHUB_REF_NAME: tag = `v${manifest.version}` } = process.env
  // In a container, the clone belongs to another user.
  const changed = await outputOf('git', ['-c', 'safe.directory=*', 'status', '--porcelain'])
  const fields = Object.entries(PUBLIC).filter(([name]) => !manifest[name])
  return [
    ...fields.map(([name, what]) => `package.json has no ${name}: ${what}`),
    !changes.includes(`## [${manifest.version}]`) && `CHANGELOG.md has no part ${manifest.version}`,
    tag !== `v${manifest.version}` && `the tag ${tag} is not v${manifest.version}`,
    changed !== '' && 'the working tree is not clean',
  ].filter(Boolean)
}

async function pack() {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  // Its script prepack builds missing and old files.
  await mustRun('npm', ['pack', '--silent', '--ignore-scripts=false', '--pack-destination', FOLDER])
  await mustRun(process.execPath, ['.tooling/test.mjs', 'release', 'figures'], { limit: 30 * 60_000 })
  const binaries = filesUnder('prebuilds', 'dist/workerd/timeout_wheel.wasm')
  const paths = binaries.map((path) => relative(root, path))
  const ofTarball = await outputOf('sha256sum', [`${name}.tgz`], { cwd: FOLDER })
  const sums = ofTarball + (await outputOf('sha256sum', paths))
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums)
  const sbom = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=library']
  const parts = JSON.parse(await outputOf('npm', sbom))
  // npm takes the name of the folder.
  parts.metadata.component.name = manifest.name
  writeFileSync(join(FOLDER, `${name}.cdx.json`), `${JSON.stringify(parts, null, 2)}\n`)
  say(`${sums}In build/release: ${readdirSync(FOLDER).join(', ')}`)
}

/** The contract imports both backends. Where there is no addon, it takes WebAssembly twice. */
const WITHOUT_ADDON = { '^(\\.{1,2}/.*)\\.js$': '$1', '^timeout-wheel/native$': 'timeout-wheel/wasm' }

/** Replaces dist/ and prebuilds/ of this clone by those of the tarball, and tests them. @param {string} backend */
async function test(backend) {
  // Relative paths, because the tar of some systems takes C: for the name of a computer.
  await mustRun('tar', ['-xzf', `build/release/${name}.tgz`, '-C', 'build/release'])
  for (const folder of ['dist', 'prebuilds']) {
    rmSync(join(root, folder), { recursive: true, force: true })
    cpSync(join(FOLDER, 'package', folder), join(root, folder), { recursive: true })
  }
  await mustRun(process.execPath, ['dist/cli.mjs', 'doctor'])
  const used = await outputOf(process.execPath, ['--eval', "console.log(require('timeout-wheel').backend)"])
  if (used.trim() !== backend) fail(`The backend is ${used.trim()}, not ${backend}`)
  // The file of Jest itself, because Windows has scripts of its own in node_modules/.bin.
  const jest = ['node_modules/jest/bin/jest.js', '--testNamePattern', `^${backend} `, 'test/contract/']
  if (backend === 'wasm') jest.push(`--moduleNameMapper=${JSON.stringify(WITHOUT_ADDON)}`)
  await mustRun(process.execPath, jest, { limit: 20 * 60_000 })
}

const match = /^--(dry-run|pack|test=(native|wasm))$/.exec(process.argv.slice(2).join(' '))
const [, option, backend] = match ?? fail('usage: npm run release -- --dry-run | --pack | --test=native|wasm')
if (backend !== undefined) await test(backend)
else {
  const left = await missing()
  const message = left.map((one) => `\n- ${one}`).join('')
  if (option === 'pack' && left.length > 0) fail(`Not ready for a release:${message}`)
  await pack()
  say(left.length === 0 ? 'Ready for a release.' : `Before a release:${message}`)
}
