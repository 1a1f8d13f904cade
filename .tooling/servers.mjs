/** Servers on loopback, PostgreSQL and pgbouncer among them, each with a temporary folder, for the tests and the benchmark of durable timers. */
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { outputOf, run, start } from './child.cjs'
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

/** Waits for a server. @param {() => Promise<boolean>} isReady @param {number} limit milliseconds */
export async function untilReady(name, isReady, limit = START) {
  for (const end = performance.now() + limit; !(await isReady()); await sleep(50))
    if (performance.now() > end) throw new Error(`${name} does not start`)
}

/** Whether a server answers, asked by a program. */
export const answers = (program, words) => async () =>
  (await run(program, words.split(' '), { limit: START })).code === 0
const answersQueries = (port) => answers(join(findPostgres(), 'pg_isready'), `-q -h 127.0.0.1 -p ${port}`)

export const newFolder = () => mkdtempSync(join(tmpdir(), 'timeout-wheel-server-'))

/**
 * The folder of a server that refuses to run as root, and the user of the server: then it is the user that the package of PostgreSQL has
 * made, to whom the folder belongs.
 */
async function withoutRoot() {
  const cwd = newFolder()
  if (process.getuid() !== 0) return { cwd }
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (of) => Number(await outputOf('id', [of, 'postgres'], { limit: START }))),
  )
  chownSync(cwd, uid, gid)
  return { cwd, uid, gid }
}

/** @type {Set<() => Promise<void>>} */
const stops = new Set()
/** Stops all servers, and removes their folders. */
export const stopServers = () => Promise.allSettled(Array.from(stops, (stop) => stop()))

/** Starts a server, and starts it again whenever it ends by itself, as a system's supervisor does. */
export async function serve(program, args, how, isReady) {
  let child
  let isStopped = false
  const launch = () => {
    child = start(program, args, { stdio: 'ignore', limit: LIMIT, ...how })
    const again = async () => {
      await sleep(100)
      if (!isStopped) launch()
    }
    child.ended.then(again, again)
  }
  stops.add(async function stop() {
    isStopped = true
    stops.delete(stop)
    await child.end('SIGINT')
    rmSync(how.cwd, { recursive: true, force: true })
  })
  launch()
  await untilReady(program, isReady)
}

const urlOf = (port) => `postgres://postgres@127.0.0.1:${port}/postgres`

/** A cluster of its own, with the usual settings but for the given ones. */
export async function startPostgres(settings = {}) {
  const how = await withoutRoot()
  const program = (name) => join(findPostgres(), name)
  const made = ['-D', how.cwd, ...'-U postgres -A trust -E UTF8 --locale=C --no-sync'.split(' ')]
  await outputOf(program('initdb'), made, { ...how, limit: START })
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await serve(program('postgres'), ['-D', how.cwd, ...options], how, answersQueries(port))
  return { url: urlOf(port), port }
}

/** pgbouncer in transaction mode before a PostgreSQL. */
export async function startPgbouncer(server) {
  const how = await withoutRoot()
  const port = await freePort()
  const file = join(how.cwd, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]\npostgres = host=127.0.0.1 port=${server} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      'auth_type = any\npool_mode = transaction\nunix_socket_dir =\n',
  )
  await serve('pgbouncer', ['-q', file], how, answersQueries(port))
  return { url: urlOf(port) }
}
