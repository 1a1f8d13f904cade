/**
 * Runs a Worker in workerd as Cloudflare does: esbuild bundles it with workerd's conditions, and its WebAssembly is a
 * file beside it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { execute, type Project, tool } from './installed.js'

// Its main export is the path of the binary. The package has no types.
const { default: workerd } = require('workerd') as { default: string }
const WORKER = join(__dirname, 'fixtures/worker.mjs')

/** Bundles the Worker into a folder of the project, and writes the configuration of workerd. */
function prepare(project: Project): string {
  cpSync(WORKER, join(project.folder, 'worker.mjs'))
  const out = join(project.folder, 'worker')
  const options = [
    '--bundle',
    '--format=esm',
    '--conditions=workerd,worker,browser',
    '--loader:.wasm=copy',
    `--outfile=${join(out, 'worker.mjs')}`,
  ]
  const { code, stderr } = execute(tool('esbuild'), ['worker.mjs', ...options], project.folder)
  if (code !== 0) throw new Error(`esbuild failed (${code}):\n${stderr}`)
  const modules = readdirSync(out)
    .filter((name) => name !== 'worker.capnp')
    .sort((a, b) => Number(b === 'worker.mjs') - Number(a === 'worker.mjs'))
    .map((name) => `(name = "${name}", ${name.endsWith('.wasm') ? 'wasm' : 'esModule'} = embed "${name}")`)
  const config = join(out, 'worker.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [${modules.join(', ')}],
  compatibilityDate = "2026-11-01",
);
`,
  )
  return config
}

export class WorkerdServer {
  readonly #process: ChildProcess
  readonly #port: number
  readonly #log: string[]

  private constructor(process: ChildProcess, port: number, log: string[]) {
    this.#process = process
    this.#port = port
    this.#log = log
  }

  static async start(project: Project): Promise<WorkerdServer> {
    // The binary itself, not the script of node_modules/.bin: workerd writes the port that it got to the fourth file
    // descriptor, which that script does not pass on.
    const child = spawn(workerd, ['serve', '--verbose', '--control-fd=3', prepare(project)], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    const log: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => log.push(`${data}`))
    const port = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`workerd ended with code ${code}:\n${log.join('')}`)))
      createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
        const message = JSON.parse(line)
        if (message.event === 'listen') resolve(message.port)
      })
    })
    return new WorkerdServer(child, port, log)
  }

  /** Calls a function of the Worker and returns its result. */
  async ask(path: string): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/${path}`)
    const { value, error } = (await response.json()) as { value: unknown; error?: string }
    if (error !== undefined) throw new Error(error)
    return value
  }

  /** Waits until workerd writes a text, an uncaught error for example. */
  async logged(text: string): Promise<void> {
    while (!this.#log.join('').includes(text)) await once(this.#process.stderr!, 'data')
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill()
    await ended
  }
}
