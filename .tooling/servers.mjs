/** PostgreSQL, pgbouncer and Redis on loopback, each with a temporary folder, for the tests and the benchmark of durable timers. */
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
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

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** PostgreSQL refuses to run as root: then its files and processes are those of the user that its package has made. */
async function unprivileged() {
  if (process.getuid() !== 0) return {}
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map((of) => outputOf('id', [of, 'postgres'], { limit: START })),
  )
  return { uid: Number(uid), gid: Number(gid) }
}

/** A folder of a user's own. */
function folderFor({ uid, gid }) {
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-server-'))
  if (uid !== undefined) chownSync(folder, uid, gid)
  return folder
}

/** Starts a server, and starts it again whenever it ends by itself, as a system's supervisor does. */
async function serve(program, args, how, isReady) {
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
  const ready = async () => {
    for (const end = performance.now() + START; !(await isReady()); await sleep(50))
      if (performance.now() > end) throw new Error(`${program} does not start`)
  }
  const stop = async () => {
    isStopped = true
    await child.end('SIGINT')
    rmSync(how.cwd, { recursive: true, force: true })
  }
  launch()
  try {
    await ready()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    stop,
    async restart(signal) {
      const { ended } = child
      child.process.kill(signal)
      await ended
      await ready()
    },
  }
}

/** A cluster of its own, with the usual settings but for the given ones. `restart` is that after a crash: `pg_ctl restart -m immediate`. */
export async function startPostgres(settings = {}) {
  const bin = findPostgres()
  const user = await unprivileged()
  const folder = folderFor(user)
  const how = { cwd: folder, ...user }
  const made = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await outputOf(join(bin, 'initdb'), made, { ...how, limit: START })
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const ask = ['-q', '-h', '127.0.0.1', '-p', `${port}`]
  const isReady = () =>
    outputOf(join(bin, 'pg_isready'), ask, { limit: START }).then(
      () => true,
      () => false,
    )
  const server = await serve(join(bin, 'postgres'), ['-D', folder, ...options], how, isReady)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    restart: () => server.restart('SIGQUIT'),
    stop: server.stop,
  }
}

/** pgbouncer in transaction mode before a PostgreSQL. */
export async function startPgbouncer(server) {
  const user = await unprivileged()
  const folder = folderFor(user)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]\npostgres = host=127.0.0.1 port=${server} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      'auth_type = any\npool_mode = transaction\nunix_socket_dir =\n',
  )
  const { stop } = await serve('pgbouncer', ['-q', file], { cwd: folder, ...user }, () => accepts(port))
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop }
}

/** Redis, which is asked to lose nothing: each write waits for the disk. */
export async function startRedis() {
  const folder = folderFor({})
  const port = await freePort()
  const options = { bind: '127.0.0.1', port, dir: folder, save: '', appendonly: 'yes', appendfsync: 'always' }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const { stop } = await serve('redis-server', args, { cwd: folder }, () => accepts(port))
  return { port, stop }
}
