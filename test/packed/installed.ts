/** Installs the packed tarball in an empty project as a user would, without running any script. */
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../../.tooling/child.cjs'

export const ROOT = join(__dirname, '../..')
export const ADDON = `prebuilds/${process.platform}-${process.arch}/timeout_wheel.node`

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
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: '', ...environment }
  const { code, stdout, stderr } = await run(program, args, { cwd, env, limit })
  return { code, stdout, stderr }
}

async function mustExecute(program: string, args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await execute(program, args, cwd)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed (${code}):\n${stdout}${stderr}`)
  return stdout
}

export interface Run {
  flags?: string[]
  env?: NodeJS.ProcessEnv
}

/** A project with the package in its node_modules. */
export class Project {
  readonly folder: string
  readonly tarball: string

  constructor(folder: string, tarball: string) {
    this.folder = folder
    this.tarball = tarball
  }

  get packageFolder(): string {
    return join(this.folder, 'node_modules/timeout-wheel')
  }

  /** Runs the text of a module in this project: an ES module as file.mjs, CommonJS as file.cjs. */
  run(
    file: `${string}.mjs` | `${string}.cjs`,
    source: string,
    { flags = [], env = {} }: Run = {},
  ): Promise<Outcome> {
    writeFileSync(join(this.folder, file), source)
    return execute(process.execPath, [...flags, file], this.folder, {
      TIMEOUT_WHEEL_BACKEND: undefined,
      ...env,
    })
  }

  /** Makes a copy that a test may damage. */
  copy(): Project {
    const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-copy-'))
    cpSync(this.folder, folder, { recursive: true, verbatimSymlinks: true })
    return new Project(folder, this.tarball)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export async function packAndInstall(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-packed-'))
  await mustExecute('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], ROOT)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error(`npm pack wrote no tarball into ${folder}`)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a-user', private: true }))
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await mustExecute('npm', ['install', ...options, join(folder, tarball)], folder)
  return new Project(folder, join(folder, tarball))
}

/** Returns a program of this repository's node_modules. */
export function tool(name: string): string {
  return join(dirname(require.resolve('typescript/package.json')), '../.bin', name)
}
