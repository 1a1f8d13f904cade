/** Runs a Worker in workerd as Cloudflare does: esbuild bundles it with workerd's conditions, and its WebAssembly is a file beside it. */
import { once } from 'node:events'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, outputOf, start } from '../../.tooling/child.cjs'
import { type Project, tool } from './installed.js'

// Its main export is the path of the binary. The package has no types.
const { default: workerd } = require('workerd') as { default: string }
const FIXTURES = join(__dirname, 'fixtures')
/** Milliseconds until workerd reports its port, answers, and writes a line. */
const PATIENCE = 60_000
/** Milliseconds that a server may run. */
const LIMIT = 20 * 60_000

/**
 * Bundles a Worker of `fixtures`, and writes the configuration of workerd.
 * @param date chooses the behaviour of workerd at that time @param more of the Worker's configuration
 */
async function prepare(project: Project, worker: string, date: string, more: string): Promise<string> {
  cpSync(join(FIXTURES, worker), join(project.folder, worker))
  const out = join(project.folder, `${worker}-${date}`)
  const options = [
    '--bundle',
    '--format=esm',
    '--conditions=workerd,worker,browser',
    '--loader:.wasm=copy',
    '--external:node:*',
    `--outfile=${join(out, 'worker.mjs')}`,
  ]
  await outputOf(tool('esbuild'), [worker, ...options], { cwd: project.folder, limit: PATIENCE })
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
  compatibilityDate = "${date}",
  ${more}
);
`,
  )
  return config
}

export class WorkerdServer {
  readonly #child: Child
  readonly #log: string[] = []
  #port = 0

  private constructor(config: string) {
    // The binary itself, not the script of node_modules/.bin: workerd writes the port that it got to the fourth file
    // descriptor, which that script does not pass on.
    this.#child = start(workerd, ['serve', '--verbose', '--control-fd=3', config], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      limit: LIMIT,
    })
    const { stdout, stderr } = this.#child.process
    for (const stream of [stdout, stderr]) stream?.on('data', (data) => this.#log.push(`${data}`))
  }

  /** Starts workerd, and ends it if it reports no port. The parameters are those of `prepare`. */
  static async start(project: Project, worker: string, date = '2026-11-01', more = '') {
    const server = new WorkerdServer(await prepare(project, worker, date, more))
    const { process, ended } = server.#child
    const crashed = ended.then(({ code }) => {
      throw new Error(`workerd ended with code ${code}:\n${server.#log.join('')}`)
    })
    const listening = async (): Promise<void> => {
      for await (const line of createInterface({ input: process.stdio[3] as Readable })) {
        const { event, port } = JSON.parse(line)
        if (event !== 'listen') continue
        server.#port = port
        return
      }
    }
    const reported = server.#within(Promise.race([listening(), crashed]), 'reported no port')
    await reported.catch(async (error) => {
      await server.close()
      throw error
    })
    return server
  }

  /** Calls a function of the Worker and returns its result. @param body of the request */
  async ask(path: string, body?: string): Promise<unknown> {
    const method = body === undefined ? 'GET' : 'POST'
    const url = `http://127.0.0.1:${this.#port}/${path}`
    const answer = fetch(url, { method, body: body ?? null }).then((response) => response.json())
    const { value, error } = (await this.#within(answer, `did not answer ${path}`)) as {
      value: unknown
      error?: string
    }
    if (error !== undefined) throw new Error(error)
    return value
  }

  /** Waits until workerd writes a text, an uncaught error for example. */
  async logged(text: string): Promise<void> {
    while (!this.#log.join('').includes(text))
      await this.#within(once(this.#child.process.stderr!, 'data'), `wrote no ${JSON.stringify(text)}`)
  }

  /** Waits for a promise. If that takes too long, throws an error that says what was awaited, and what workerd has written. */
  async #within<T>(promise: Promise<T>, what: string): Promise<T> {
    const late = sleep(PATIENCE, undefined, { ref: false }).then(() => {
      throw new Error(`workerd ${what} within ${PATIENCE / 1_000} s:\n${this.#log.join('')}`)
    })
    return Promise.race([promise, late])
  }

  close(): Promise<void> {
    return this.#child.end()
  }
}
