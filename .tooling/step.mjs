/** Shared by the build scripts: the root of the project, running programs, and messages. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The name of this platform in Node, which is also the folder of the addon in prebuilds/. */
export const platform = `${process.platform}-${process.arch}`

export function say(line) {
  process.stdout.write(`${line}\n`)
}

/** Prints a message and ends the script with exit code 1. */
export function fail(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

/**
 * Runs a program in the root of the project. Its output is shown; with `quiet` only if it fails.
 * @returns {number} its exit code
 */
export function run(program, args, { quiet = false, env = {} } = {}) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (error !== undefined) fail(`${program} could not be run: ${error.message}`)
  if (quiet && status !== 0) process.stderr.write(stdout + stderr)
  if (signal !== null) process.stderr.write(`${program} was ended by ${signal}\n`)
  return status ?? 1
}

/**
 * Runs a program several times at once, and shows the output.
 * @param {{ args: string[], env: Record<string, string> }[]} calls
 * @returns {Promise<number[]>} their exit codes
 */
export function runTogether(program, calls) {
  return Promise.all(
    calls.map(async ({ args, env }) => {
      const child = spawn(program, args, {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      const [code, signal] = await once(child, 'close')
      if (signal !== null) process.stderr.write(`${program} was ended by ${signal}\n`)
      return code ?? 1
    }),
  )
}

/** Like `run`, but ends the script if the program fails. */
export function mustRun(program, args, options) {
  const code = run(program, args, options)
  if (code !== 0) fail(`${[program, ...args].join(' ')} failed (exit code ${code})`)
}

/** The path of a program of a package in node_modules. */
export function localBin(name) {
  const path = join(root, 'node_modules/.bin', name)
  if (!existsSync(path)) fail(`${name} is missing: run \`npm install\` first`)
  return path
}

export function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(process.platform === 'win32' ? ';' : ':')
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.bat`] : [program]
  return folders.some((folder) => folder !== '' && names.some((name) => existsSync(join(folder, name))))
}

/** The given files of the project, and all files below the given folders. */
export function filesUnder(...paths) {
  return paths.flatMap((path) => {
    const full = join(root, path)
    if (!existsSync(full)) return []
    if (!statSync(full).isDirectory()) return [full]
    return readdirSync(full, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  })
}

/** Whether all `outputs` exist and none is older than any of `inputs`. */
export function isUpToDate(outputs, inputs) {
  if (!outputs.every((path) => existsSync(join(root, path)))) return false
  const oldest = Math.min(...outputs.map((path) => statSync(join(root, path)).mtimeMs))
  return inputs.every((path) => statSync(path).mtimeMs <= oldest)
}
