/** Installs the packed tarball in an empty project as a user would, without running any script. */
// biome-ignore format: a list of words
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { outputOf, run } from '../../.tooling/child.cjs'

export const ROOT = join(__dirname, '../..')
export const ADDON = `prebuilds/${process.platform}-${process.arch}/timeout_wheel.node`

/** The program that npm links for `npx timeout-wheel`. */
export const COMMAND = 'node_modules/.bin/timeout-wheel'

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export async function execute(
  program: string,
  args: string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = {},
  limit = 60_000,
): Promise<Outcome> {
  const own = { NODE_OPTIONS: '', TIMEOUT_WHEEL_BACKEND: undefined }
  const env: NodeJS.ProcessEnv = { ...process.env, ...own, ...environment }
  const { code, stdout, stderr } = await run(program, args, { cwd, env, limit })
  return { code, stdout, stderr }
}

export interface Run {
  flags?: string[]
  env?: NodeJS.ProcessEnv
}

/** A project with the package in its node_modules. */
export class Project {
  folder = ''

  get packageFolder(): string {
    return join(this.folder, 'node_modules/timeout-wheel')
  }

  /** Runs the text of a module in this project: an ES module as file.mjs, CommonJS as file.cjs. */
  run(file: `${string}.mjs` | `${string}.cjs`, source: string, { flags = [], env = {} }: Run = {}) {
    writeFileSync(join(this.folder, file), source)
    return execute(process.execPath, [...flags, file], this.folder, env)
  }
}

export const TARBALL = 'timeout-wheel.tgz'

async function packAndInstall(folder: string): Promise<void> {
  const npm = (...args: string[]) => outputOf('npm', args, { cwd: folder, limit: 60_000 })
  await npm('pack', '--silent', '--ignore-scripts', ROOT)
  const [packed] = readdirSync(folder)
  renameSync(join(folder, packed!), join(folder, TARBALL))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a-user', private: true }))
  await npm('install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${TARBALL}`)
}

/**
 * Makes a project with the package. The first test file of a run packs and installs it, and each call copies that project. They are removed at
 * the end of the run: see .tooling/prepare.mjs.
 */
async function installProject(): Promise<string> {
  const run = process.env.TIMEOUT_WHEEL_RUN_FOLDER!
  const [installed, result] = [join(run, 'installed'), join(run, 'result')]
  // No value: the folder was there, because another test file installs.
  if (mkdirSync(installed, { recursive: true }) !== undefined) {
    const failure = await packAndInstall(installed).then(() => '', String)
    writeFileSync(`${result}.part`, failure)
    renameSync(`${result}.part`, result)
  }
  while (!existsSync(result)) await sleep(20)
  const failure = readFileSync(result, 'utf8')
  if (failure !== '') throw new Error(failure)
  const folder = mkdtempSync(join(run, 'project-'))
  cpSync(installed, folder, { recursive: true, verbatimSymlinks: true })
  return folder
}

/** Makes such a project before the tests of the file. @param change makes it another one than a user has */
export function useProject(change: (project: Project) => void = () => {}): Project {
  const project = new Project()
  beforeAll(async () => {
    project.folder = await installProject()
    change(project)
  })
  return project
}

/** Removes the addon of an installed package. */
export const removeAddon = ({ packageFolder }: Project): void => rmSync(join(packageFolder, ADDON))

/** Returns a program of this repository's node_modules. */
export function tool(name: string): string {
  return join(dirname(require.resolve('typescript/package.json')), '../.bin', name)
}

/** webpack's own command is another package, so this script calls webpack. It minifies, which takes seconds, if its second argument is `true`. */
export const WEBPACK = `
  const webpack = require(${JSON.stringify(require.resolve('webpack'))})
  const output = { path: __dirname + '/out', filename: 'out.cjs' }
  const [program, isMinimized] = process.argv.slice(2)
  const optimization = { minimize: isMinimized === 'true' }
  const options = { context: __dirname, mode: 'production', target: 'node', entry: './' + program, output, optimization }
  webpack(options, (error, stats) => {
    if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString())
  })`
