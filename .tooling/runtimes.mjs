/**
 * The runtimes, compilers and other packages that tests and benchmarks run beside the project. Each folder of build/ has its own, from
 * npm. `for...` returns the variables by which tests find what it installs.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { platform as here, mustRun, root, say } from './step.mjs'

/** From the oldest line that `engines` in package.json allows to the newest line. */
export const NODE_LINES = [20, 22, 24, 26]

// npm installs a package for another platform only by force. No package runs code.
const INSTALL = 'install --force --no-save --no-audit --no-fund --ignore-scripts --prefix'.split(' ')

/** Installs packages into a folder of build/, unless it has them. @returns {Promise<string>} its node_modules */
export async function installed(folder, ...packages) {
  const path = join(root, 'build', folder)
  const list = join(path, 'packages.txt')
  if (!existsSync(list) || readFileSync(list, 'utf8') !== packages.join(' ')) {
    say(`npm: installing ${packages.join(', ')} into build/${folder}`)
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { recursive: true })
    await mustRun('npm', [...INSTALL, path, ...packages], { quiet: true })
    writeFileSync(list, packages.join(' '))
  }
  return join(path, 'node_modules')
}

/** Installs the packages of a table. @returns {Promise<string>} JSON: the path of the file of each by its name */
async function filesOf(group, table) {
  const files = {}
  for (const [name, [version, file]] of Object.entries(table)) {
    const modules = await installed(`${group}/${name.replace(' ', '-')}`, version)
    files[name] = join(modules, version.replace(/(?<=.)@.*/, ''), file)
    // Some of the packages have forgotten it.
    chmodSync(files[name], 0o755)
  }
  return JSON.stringify(files)
}

/** The program of Node, for this platform or another. @param {number | string} line a line or an exact version @returns {Promise<string>} */
export async function nodeOfLine(line, platform = here) {
  // The packages call Windows `win`.
  const name = `node-${platform.replace('win32', 'win')}`
  const modules = await installed(`nodes/${line}-${platform}`, `${name}@${line}`)
  return join(modules, name, 'bin', platform.startsWith('win32') ? 'node.exe' : 'node')
}

const exe = process.platform === 'win32' ? '.exe' : ''
const glibc = process.platform === 'linux' ? '-glibc' : ''
const deno = (version) => [`@deno/${here}${glibc}@${version}`, `deno${exe}`]
const bunHere = here.replace('win32', 'windows').replace('arm64', 'aarch64')
const bun = (version) => [`@oven/bun-${bunHere}@${version}`, `bin/bun${exe}`]

/**
 * A package and its file: the oldest and a recent version of each. The timers of Deno differ in each of these three: in 2.6, immediates
 * are late too. The edge host is the one of Next.js: it runs in Node.
 */
const RUNTIMES = {
  'deno-2.1': deno('2.1.0'),
  'deno-2.6': deno('2.6.8'),
  'deno-2.9': deno('2.9.6'),
  'bun-1.2': bun('1.2.23'),
  'bun-1.4': bun('1.4.5'),
  edge: ['@edge-runtime/vm@5.0.0', '.'],
}

/** Package managers: the package, and the file that runs in Node. */
const MANAGERS = {
  'npm 11': ['npm@11', 'bin/npm-cli.js'],
  'npm 12': ['npm@12', 'bin/npm-cli.js'],
  'pnpm 12': ['pnpm@12', 'bin/pnpm.mjs'],
  'Yarn 1': ['yarn@1', 'bin/yarn.js'],
  'Yarn 4': ['@yarnpkg/cli-dist@4', 'bin/yarn.js'],
  Bun: RUNTIMES['bun-1.4'],
}

export const forRuntimes = async () => ({
  TIMEOUT_WHEEL_RUNTIMES: await filesOf('runtimes', RUNTIMES),
  TIMEOUT_WHEEL_MANAGERS: await filesOf('managers', MANAGERS),
})

/**
 * Next.js; Metro, the bundler of React Native, as React Native 0.88 has it; and the engine Hermes: the newest interpreter in a package of
 * npm, of 2022, and the compiler of React Native 0.88, which comes without an interpreter.
 */
export async function forFrameworks() {
  const metro = ['@babel/core@7', '@react-native/metro-config@0.88.1', 'metro@0.87.1']
  const hermes = ['hermes-engine-cli@0.12.0', 'hermes-compiler@260318099.0.5']
  return {
    TIMEOUT_WHEEL_NEXT: await installed('next', 'react@19.3.1', 'react-dom@19.3.1', 'next@16.4.6'),
    TIMEOUT_WHEEL_METRO: await installed('metro', ...metro),
    TIMEOUT_WHEEL_HERMES: await installed('hermes', ...hermes),
  }
}

/** Each TypeScript with which the declarations compile. */
const TYPESCRIPTS = '5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 6.0 7.0'
/** The oldest, the last that lacks types of the language which later ones have, and the newest. */
const SOME_TYPESCRIPTS = '5.0 5.5 7.0'

export async function forTypes() {
  const versions = process.env.TIMEOUT_WHEEL_SCALE === 'large' ? TYPESCRIPTS : SOME_TYPESCRIPTS
  const rows = versions.split(' ').map((version) => [version, [`typescript@${version}`, '.']])
  return { TIMEOUT_WHEEL_TYPESCRIPTS: await filesOf('typescripts', Object.fromEntries(rows)) }
}

/** The tools that collect the files of a program, for test/packed/trace, and a Node that has SQLite, for bundles. */
export async function forPacked() {
  await installed('tracers', '@vercel/nft@1.11.5', '@vercel/ncc@0.45.0')
  return { TIMEOUT_WHEEL_NODE_WITH_SQLITE: await nodeOfLine(NODE_LINES.at(-1)) }
}

/** The oldest version of an optional peer that package.json allows. The newest is a development dependency. @returns {Promise<string>} */
export async function oldestPeer(name) {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const version = peerDependencies[name].replace('>=', '')
  return join(await installed(`oldest/${name}`, `${name}@${version}`), name)
}

/** Playwright, which drives the Chromium of the tests: of its own programs it needs none. */
export async function forBrowsers() {
  const modules = await installed('playwright', 'playwright-core@1.65.1')
  return { TIMEOUT_WHEEL_PLAYWRIGHT: join(modules, 'playwright-core') }
}

/** ORMs, and another driver of PostgreSQL, for `db` of durable timers. The client of Prisma is generated. `load(name)` as in jobPackages. */
export async function ormPackages() {
  const prisma = 'prisma@7.10.1 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.1'
  const packages = `pg@8 drizzle-orm@0.45 knex@3 kysely@0.29 postgres@3 ${prisma}`
  const modules = await installed('orms', ...packages.split(' '))
  const folder = join(modules, '..')
  const loader = join(folder, 'load.mjs')
  if (existsSync(loader)) return loader
  const generator = 'generator client {\n  provider = "prisma-client-js"\n}\n'
  const model = 'datasource db {\n  provider = "postgresql"\n}\nmodel Order {\n  id Int @id\n}\n'
  writeFileSync(join(folder, 'schema.prisma'), generator + model)
  // It generates a client without the engine that it would download.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }
  const node = await nodeOfLine(NODE_LINES.at(-1))
  const args = [join(modules, 'prisma/build/index.js'), 'generate', '--schema', join(folder, 'schema.prisma')]
  await mustRun(node, args, { quiet: true, cwd: folder, env })
  writeFileSync(loader, 'export const load = (name) => import(name)\n')
  return loader
}

/** What keeps jobs in a database, for durable timers. `load(name)` of the module whose path is returned imports one of them. */
export async function jobPackages() {
  const packages = 'pg-boss@12 bullmq@6 ioredis@5 graphile-worker@0.17 agenda@6 @agendajs/postgres-backend@3'
  const loader = join(await installed('jobs', ...packages.split(' ')), '../load.mjs')
  writeFileSync(loader, 'export const load = (name) => import(name)\n')
  return loader
}
