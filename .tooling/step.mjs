/** Shared by the build scripts: the root of the project, running programs, and messages. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { outputOf as childOutput, LimitError, run as runChild } from './child.cjs'

export const root = join(import.meta.dirname, '../')

/** The name of this platform in Node, which is also the folder of the addon in prebuilds/. */
export const platform = `${process.platform}-${process.arch}`

export const say = (line) => process.stdout.write(`${line}\n`)

/** Prints a message and ends the script with exit code 1. */
export function fail(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

/** Milliseconds that a step may take if it has no limit of its own. */
const LIMIT = 10 * 60_000

/**
 * Runs a program in the root of the project. Its output is shown; with `quiet` only if it fails.
 *
 * @param {{ quiet?: boolean, env?: NodeJS.ProcessEnv, limit?: number }} how `env` is added to the environment; `limit`: milliseconds
 * @returns {Promise<number>} its exit code; 1 if it was ended at its limit
 */
export async function run(program, args, { quiet = false, env = {}, limit = LIMIT } = {}) {
  const shown = quiet ? 'pipe' : 'inherit'
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', shown, shown], limit }
  try {
    const { code, signal, stdout, stderr } = await runChild(program, args, options)
    if (code !== 0) process.stderr.write(stdout + stderr)
    if (signal !== null) process.stderr.write(`${program} was ended by ${signal}\n`)
    return code ?? 1
  } catch (error) {
    if (!(error instanceof LimitError)) return fail(error.message)
    process.stderr.write(`\n${error.message}\n`)
    return 1
  }
}

/** Runs a program, and returns its standard output. Ends the script if the program fails. @returns {Promise<string>} */
export const outputOf = (program, args, options) =>
  childOutput(program, args, { cwd: root, limit: LIMIT, ...options }).catch(({ message }) => fail(message))

/** Like `run`, but ends the script if the program fails. */
export async function mustRun(program, args, options) {
  const code = await run(program, args, options)
  if (code !== 0) fail(`${[program, ...args].join(' ')} failed (exit code ${code})`)
}

/** The path of a program of a package in node_modules. */
export function localBin(name) {
  const path = join(root, 'node_modules/.bin', name)
  if (!existsSync(path)) fail(`${name} is missing: run \`npm install\` first`)
  return path
}

/** @param {string[]} programs @returns {string | undefined} the path of the first that is there */
export function findOnPath(...programs) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = process.platform === 'win32' ? ['.exe', '.bat'] : ['']
  const names = programs.flatMap((program) => endings.map((ending) => program + ending))
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
}

/** The given files of the project, and all files below the given folders. */
export function filesUnder(...paths) {
  const existing = paths.map((path) => join(root, path)).filter(existsSync)
  return existing.flatMap((path) => {
    if (statSync(path).isFile()) return [path]
    const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  })
}
