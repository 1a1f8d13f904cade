/** Servers on loopback, PostgreSQL and pgbouncer among them, each with a temporary folder, for the tests and the benchmark of durable timers. */
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { outputOf, start } from './child.cjs'
import { findPostgres } from './setup.mjs'

/** Milliseconds that a server may live, and that its start may take. */
const LIMIT = 3 * 3_600_000
const START = 60_000

/** A port that no other program uses. @returns {Promise<number>} */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** Asks a server until it answers. @param {() => Promise<unknown>} ask rejects if there is no answer @param {number} limit milliseconds */
export async function untilReady(name, ask, limit = START) {
  for (const end = performance.now() + limit; ; await sleep(50)) {
    try {
      return await ask()
    } catch (cause) {
      if (performance.now() > end) throw new Error(`${name} does not start`, { cause })
    }
  }
}

/** Asks a server by a program that fails if there is no answer. */
export const askBy = (program, words) => () => outputOf(program, words.split(' '), { limit: START })
const askPostgres = (port) => askBy(join(findPostgres(), 'pg_isready'), `-q -h 127.0.0.1 -p ${port}`)

export const newFolder = () => mkdtempSync(join(tmpdir(), 'timeout-wheel-server-'))

/** The folder and the user of a server that refuses to run as root: the user that Debian's package of PostgreSQL has made. */
function withoutRoot() {
  const cwd = newFolder()
  if (process.getuid() !== 0) return { cwd }
  const { uid, gid } = statSync('/var/lib/postgresql')
  chownSync(cwd, uid, gid)
  return { cwd, uid, gid }
}

const stops = new Set()
/** Stops all servers, and removes their folders. */
export const stopServers = () => Promise.allSettled(Array.from(stops, (stop) => stop()))

/** Starts a server, and starts it again whenever it ends by itself, as a system's supervisor does. */
export async function serve(program, args, how, ask) {
  let child
  let isStopped = false
  const supervise = async () => {
    for (; !isStopped; await sleep(100)) {
      child = start(program, args, { stdio: 'ignore', limit: LIMIT, ...how })
      await child.ended.catch(() => {})
    }
  }
  stops.add(async function stop() {
    isStopped = true
    stops.delete(stop)
    await child.end('SIGINT')
    rmSync(how.cwd, { recursive: true, force: true })
  })
  supervise()
  await untilReady(program, ask)
}

const urlOf = (port) => `postgres://postgres@127.0.0.1:${port}/postgres`

/** A cluster of its own, with the usual settings but for the given ones. */
export async function startPostgres(settings = {}) {
  const how = withoutRoot()
  const program = (name) => join(findPostgres(), name)
  const made = ['-D', how.cwd, ...'-U postgres -A trust -E UTF8 --locale=C --no-sync'.split(' ')]
  await outputOf(program('initdb'), made, { ...how, limit: START })
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await serve(program('postgres'), ['-D', how.cwd, ...options], how, askPostgres(port))
  return { url: urlOf(port), port }
}

/** pgbouncer in transaction mode before a PostgreSQL. */
export async function startPgbouncer(server) {
  const how = withoutRoot()
  const port = await freePort()
  const file = join(how.cwd, 'pgbouncer.ini')
  const database = `postgres = host=127.0.0.1 port=${server} user=postgres\n`
  const own = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\npool_mode = transaction\nunix_socket_dir =\n`
  writeFileSync(file, `[databases]\n${database}[pgbouncer]\n${own}`)
  await serve('pgbouncer', ['-q', file], how, askPostgres(port))
  return { url: urlOf(port) }
}
