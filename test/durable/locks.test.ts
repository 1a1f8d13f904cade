/**
 * A process that closes a file ends its own POSIX locks on it. Without them, another process takes itself for the last one that has the
 * file open, and removes the log under the first.
 */
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.js'
import { outputOfModule } from './helpers.js'

const folder = temporaryFolder()

/** Opens the file in another process, counts its timers, and closes it. */
const COUNT = `
  const file = new (require('node:sqlite').DatabaseSync)(process.argv[1])
  console.log(file.prepare('SELECT count(*) AS n FROM timers').get().n)
  file.close()`

const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { DurableTimers } from 'timeout-wheel/durable'
  await DurableTimers.open(workerData)
  parentPort.postMessage('open')`

/** Opens a file twice. Another process opens and closes the file between two timers that this one sets. */
const PROGRAM = `
  import { existsSync } from 'node:fs'
  import { DatabaseSync } from 'node:sqlite'
  import { Worker } from 'node:worker_threads'
  import { DurableTimers } from 'timeout-wheel/durable'
  import child from './.tooling/child.cjs'
  const [how, path] = process.argv.slice(1)
  const openFirst = {
    twice: () => DurableTimers.open(path),
    'in two threads': () =>
      new Promise((resolve) => new Worker(${JSON.stringify(THREAD)}, { eval: true, workerData: path }).on('message', resolve)),
    'for its own statements': () => {
      globalThis.own = new DatabaseSync(path)
      own.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (id INTEGER)')
    },
  }
  const count = async () => {
    const args = ['--no-warnings', '--eval', ${JSON.stringify(COUNT)}, path]
    return Number(await child.outputOf(process.execPath, args, { limit: 30_000 }))
  }
  await openFirst[how]()
  const timers = await DurableTimers.open(path)
  await timers.set('a', { delay: 1e6 })
  console.log(await count(), existsSync(path + '-wal'))
  await timers.set('a', { delay: 1e6 })
  console.log(await count())
  process.exit()`

it.concurrent.each(['twice', 'in two threads', 'for its own statements'])(
  'keeps the locks of a process that has opened the file %s',
  async (how) => {
    const path = join(folder, `${how.replaceAll(' ', '-')}.db`)
    expect(await outputOfModule(PROGRAM, [how, path])).toBe('1 true\n2\n')
  },
)
