/**
 * Makes and tests what is published. Only the workflow .github/workflows/release.yml publishes it.
 *
 *   npm run release -- --dry-run         builds all parts, runs the tests of a release, and writes into build/release: the tarball, the
 *                                        checksums of the binaries (SHA256SUMS) and the list of the parts (npm sbom). What is missing for
 *                                        a release is printed at the end
 *   npm run release -- --pack            the same, and fails if something is missing
 *   npm run release -- --test=BACKEND    tests the tarball in build/release on this system, where this backend must run
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, filesUnder, mustRun, outputOf, root, say } from './step.mjs'

const FOLDER = join(root, 'build/release')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = `timeout-wheel-${manifest.version}`

/** What only the releaser can supply, and what a release must not forget. @returns {Promise<string[]>} */
async function missing() {
  const fields = ['repository', 'homepage', 'bugs'].filter((field) => manifest[field] === undefined)
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const tag = process.env.GITHUB_REF_NAME
  // In a container, the clone belongs to another user.
  const changed = await outputOf('git', ['-c', 'safe.directory=*', 'status', '--porcelain'])
  return [
    ...fields.map((field) => `package.json has no ${field}`),
    ...(changes.includes(`## [${manifest.version}]`) ? [] : [`CHANGELOG.md has no part ${manifest.version}`]),
    ...(tag === undefined || tag === `v${manifest.version}`
      ? []
      : [`the tag ${tag} is not v${manifest.version}`]),
    ...(changed === '' ? [] : ['the working tree is not clean']),
  ]
}

const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** The checksums of the tarball and of all binaries in it, in the format of sha256sum. */
function writeChecksums() {
  const binaries = filesUnder('prebuilds', 'dist/workerd/timeout_wheel.wasm')
  const paths = binaries.map((path) => [path, path.slice(root.length).replaceAll('\\', '/')])
  const all = [[join(FOLDER, `${name}.tgz`), `${name}.tgz`], ...paths]
  const text = all.map(([path, shown]) => `${sha256(path)}  ${shown}\n`).join('')
  writeFileSync(join(FOLDER, 'SHA256SUMS'), text)
  say(text.trimEnd())
}

async function pack() {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  // Its script prepack builds what is missing or old.
  await mustRun('npm', ['pack', '--silent', '--ignore-scripts=false', '--pack-destination', FOLDER])
  await mustRun(process.execPath, ['.tooling/test.mjs', 'release'], { limit: 30 * 60_000 })
  writeChecksums()
  const sbom = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=library']
  const parts = JSON.parse(await outputOf('npm', sbom))
  // npm takes the name of the folder.
  parts.metadata.component.name = manifest.name
  writeFileSync(join(FOLDER, `${name}.cdx.json`), `${JSON.stringify(parts, null, 2)}\n`)
  say(`In build/release: ${readdirSync(FOLDER).join(', ')}`)
}

/** Replaces dist/ and prebuilds/ of this clone by those of the tarball, and tests them. @param {string} backend */
async function test(backend) {
  const tarball = join(FOLDER, `${name}.tgz`)
  if (!existsSync(tarball)) fail(`${tarball} is missing`)
  // Relative paths, because the tar of some systems takes C: for the name of a computer.
  await mustRun('tar', ['-xzf', `build/release/${name}.tgz`, '-C', 'build/release'])
  for (const folder of ['dist', 'prebuilds']) {
    rmSync(join(root, folder), { recursive: true, force: true })
    cpSync(join(FOLDER, 'package', folder), join(root, folder), { recursive: true })
  }
  await mustRun(process.execPath, ['dist/cli.mjs', 'doctor'])
  const used = await outputOf(process.execPath, ['--eval', "console.log(require('timeout-wheel').backend)"])
  if (used.trim() !== backend) fail(`The backend is ${used.trim()}, not ${backend}`)
  const selection = ['--testNamePattern', `^${backend} `, 'test/contract/']
  await mustRun(process.execPath, [JEST, ...(backend === 'wasm' ? WITHOUT_ADDON : []), ...selection], {
    limit: 20 * 60_000,
  })
}

/** The contract imports both backends. Where there is no addon, it takes WebAssembly twice. */
const WITHOUT_ADDON = [
  `--moduleNameMapper=${JSON.stringify({ '^(\\.{1,2}/.*)\\.js$': '$1', '^timeout-wheel/native$': 'timeout-wheel/wasm' })}`,
]

/** The file of Jest itself, because Windows has scripts of its own in node_modules/.bin. */
const JEST = 'node_modules/jest/bin/jest.js'

const [option = ''] = process.argv.slice(2)
const backend = /^--test=(native|wasm)$/.exec(option)?.[1]
if (backend !== undefined) await test(backend)
else if (option === '--pack' || option === '--dry-run') {
  const left = await missing()
  if (option === '--pack' && left.length > 0) fail(`Not ready for a release:\n${left.join('\n')}`)
  await pack()
  say(
    left.length === 0
      ? 'Ready for a release.'
      : `Before a release:\n${left.map((one) => `- ${one}`).join('\n')}`,
  )
} else {
  fail(
    'usage: npm run release -- --dry-run | --pack | --test=native|wasm\nThe workflow release.yml publishes: push a tag.',
  )
}
