/** Runs programs of a user of the package in another runtime: the packed package is in `node_modules`. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { execute, type Project, packAndInstall } from '../packed/installed.js'

const installed = process.env.TIMEOUT_WHEEL_RUNTIMES
if (installed === undefined) throw new Error('the runtimes are missing: run `npm test -- runtimes`')
/** The path of each runtime's file by its name. .tooling/runtimes.mjs installs them. */
export const files: Record<string, string> = JSON.parse(installed)

export interface Outcome {
  readonly code: number | null
  /** The printed lines. */
  readonly lines: string[]
  readonly stderr: string
}

/** A program, and the arguments before those that `run` gets. */
export interface Command {
  readonly name: string
  readonly program: string
  readonly args: string[]
  /** Variables of the environment, added to those of this process. */
  readonly env?: NodeJS.ProcessEnv
}

function commandsOf(runtime: string): Command[] {
  const program = files[runtime]!
  if (!runtime.startsWith('deno')) return [{ name: runtime, program, args: [] }]
  return [
    // With this option, Deno throws instead of asking its user.
    { name: `${runtime} without permissions`, program, args: ['run', '--quiet', '--no-prompt'] },
    { name: `${runtime} with all permissions`, program, args: ['run', '--quiet', '--allow-all'] },
  ]
}

/** The commands of Bun and Deno. */
export const commands = Object.keys(files)
  .filter((name) => name !== 'edge')
  .flatMap(commandsOf)

/** Installs the package, and puts the programs beside it. */
export async function install(): Promise<Project> {
  const project = await packAndInstall()
  cpSync(join(__dirname, 'programs'), join(project.folder, 'programs'), { recursive: true })
  return project
}

/** @param more the program, as a path in the project, and its arguments */
export async function run(
  { program, args, env }: Omit<Command, 'name'>,
  project: Project,
  ...more: string[]
): Promise<Outcome> {
  const { code, stdout, stderr } = await execute(program, [...args, ...more], project.folder, {
    NO_COLOR: '1',
    TIMEOUT_WHEEL_BACKEND: undefined,
    ...env,
  })
  return { code, lines: stdout.split('\n').filter((line) => line !== ''), stderr }
}
