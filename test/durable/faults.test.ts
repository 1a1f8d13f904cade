/** Files that cannot be used, threads that die, and programs that err: the errors are exact, and timers go on. */
import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'
import { makeAlarm, makeSystemClock } from '../../lib/durable/engine/clock.js'
import { temporaryFolder } from '../temporary-folder.js'

const folder = temporaryFolder()

const START = `
  import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
  import { DatabaseSync } from 'node:sqlite'
  import { setTimeout as sleep } from 'node:timers/promises'
  import { Worker } from 'node:worker_threads'
  import { DurableTimers } from 'timeout-wheel/durable'
  const [path, ran] = [process.argv[1], []]
  const end = (promise) => promise.then(() => 'done', (error) => error.code.replace('ERR_DURABLE_', ''))
  const on = (timers) => (timers.on('a', ({ key }) => void ran.push(key)), timers)
  const open = (onError = () => {}) => DurableTimers.open(path, { onError }).then(on)
  const show = (...values) => console.log(JSON.stringify(values))
`
const KEEP = `let thread; const { unref } = Worker.prototype
  Worker.prototype.unref = function () { thread = this; unref.call(this) }`

it.concurrent.each<[title: string, program: string, printed: unknown[], limit?: string]>([
  ['a folder', 'mkdirSync(path); show(await end(open()))', ['UNAVAILABLE']],
  [
    'a new file that is opened eight times at once, and damage',
    `await Promise.all(Array.from({ length: 8 }, async () => (await open()).close())); show(statSync(path).mode & 0o77)
     writeFileSync(path, Buffer.alloc(20_000, 255), { flag: 'r+' }); show(await end(open()))`,
    [0, 'STORE'],
  ],
  [
    'a file that is deleted, and one that is replaced, while they are open',
    `process.chdir(path.slice(0, path.lastIndexOf('/'))); const all = { delay: 1e9 }, gone = ['', '-wal', '-shm']
     let timers = await open(); await timers.set('a', all); process.chdir('/'); show(await end(timers.set('a', all)))
     gone.forEach((end) => rmSync(path + end)); show(await end(timers.set('a', all)), await end(timers.stats()))
     await timers.close(); timers = await open(); show((await timers.stats()).pending, await end(timers.set('a', all)))
     const other = path + '2'; await (await DurableTimers.open(other)).close(); renameSync(other, path)
     show(await end(timers.set('a', all))); await timers.close()
     timers = await open(); const set = timers.set('a', all); await set; rmSync(path + '-wal')
     show(await end(timers.set('a', all)));  await timers.close()`,
    ['done', 'STORE', 'STORE', 0, 'done', 'STORE', 'STORE'],
  ],
  [
    'a file that is gone, of which each message is told once in ten seconds',
    `const told = []; const timers = await open(({ message }) => told.push(message))
     await timers.set('a', { delay: 100 }); rmSync(path); await sleep(1_500)
     show(told.length > 0, told.length === new Set(told).size); await timers.close({ timeout: 0 })`,
    [true, true],
  ],
  [
    'a file that is locked for longer than a statement waits',
    `const timers = await open(), other = new DatabaseSync(path); await timers.set('a', { key: 'held', delay: 100 })
     other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE'); show(await end(timers.set('a', { key: 'refused', delay: 100 }))); other.exec('ROLLBACK')
     await timers.set('a', { key: 'next', delay: 100 }); await sleep(500); show(ran, (await timers.stats()).pending)
     await timers.close()`,
    ['UNAVAILABLE', ['held', 'next'], 0],
  ],
  [
    'a thread that dies with the answer of a change',
    `${KEEP}; const timers = await open(); await timers.set('a', { key: 'held', delay: 400 })
     const set = end(timers.set('a', { key: 'lost', delay: 400 })); await new Promise(setImmediate); await thread.terminate()
     show(['done', 'DOUBT'].includes(await set), await end(timers.set('a', { key: 'next', delay: 500 }))); await sleep(1_500)
     show(ran.filter((key) => key !== 'lost'), (await timers.stats()).pending); await timers.close()`,
    [true, 'done', ['held', 'next'], 0],
  ],
  [
    'a word of another process that comes while the store is opened',
    `const { postMessage } = Worker.prototype; Worker.prototype.postMessage = function (call) {
       setTimeout(() => postMessage.call(this, call), call.method === 'join' ? 100 : 0) }
     const timers = await open(), other = await DurableTimers.open(path); await other.set('a', { key: 'told', delay: 0 })
     for (let i = 0; i < 60 && ran.length === 0; i++) await sleep(50)
     show(ran); await timers.close(); await other.close()`,
    [['told']],
  ],
  [
    'a close among thousands of starts, whose acknowledgements it waits for',
    `const runs = new Map(), count = ({ key }) => runs.set(key, (runs.get(key) ?? 0) + 1); let closed
     const first = await open(); await first.setMany('b', Array.from({ length: 3000 }, (_, i) => ({ key: String(i), delay: 0 })))
     first.on('b', (run) => { count(run); if (runs.size === 1500) closed = first.close() })
     while (closed === undefined) await sleep(10)
     await closed; show(runs.size < 3000); const second = await open(); second.on('b', count)
     while (runs.size < 3000 || (await second.stats()).pending > 0) await sleep(10)
     show(...new Set(runs.values())); await second.close()`,
    [true, 1],
  ],
  [
    'seconds in which nothing happens, in which it asks and wakes seldom',
    `const { postMessage } = Worker.prototype; let asked = 0
     Worker.prototype.postMessage = function (call) { asked++; postMessage.call(this, call) }
     const wakes = () => readdirSync('/proc/self/task').reduce((count, task) => count + Number(
       /^voluntary_ctxt_switches:.([0-9]+)/m.exec(readFileSync('/proc/self/task/' + task + '/status', 'utf8'))[1]), 0)
     const timers = await open(); await sleep(1500); asked = 0; const before = process.platform === 'linux' ? wakes() : 0
     await sleep(3000); console.error(asked, wakes() - before); show(asked < 5, process.platform !== 'linux' || wakes() - before < 100); await timers.close()`,
    [true, true],
  ],
  [
    'a full disk',
    `const timers = await open(), data = 'x'.repeat(20_000), sets = []
     for (let key = 0; key < 100; key++) sets.push(await end(timers.set('a', { key: String(key), delay: 300, data })))
     await sleep(1_000); const stored = sets.filter((code) => code === 'done').length
     show(stored > 10 && stored < 90, new Set(ran).size === stored); await timers.close({ timeout: 500 })`,
    [true, true],
    'ulimit -f 1200',
  ],
  [
    'an onError that throws, and handlers that throw anything, or return what cannot be read',
    `const uncaught = []; process.on('uncaughtException', ({ message }) => uncaught.push(message))
     const timers = await open(() => { throw new Error('mine') })
     const things = { a: undefined, b: Object.create(null), c: new Error(''), d: new Error('a\\0b'), e: 'a result' }
     const unreadable = { get then() { throw new Error('no result') } }
     timers.on('throws', ({ key }) => { if (key === 'e') return unreadable; throw things[key] }, { retries: 0 })
     for (const key in things) await timers.set('throws', { key, delay: 0 })
     await timers.set('a', { key: 'last', delay: 100 }); await sleep(500)
     show(uncaught, (await Array.fromAsync(timers.failed())).map(({ error }) => error), ran); await timers.close()`,
    [Array(5).fill('mine'), ['undefined', 'an object without a text', 'Error', 'ab', 'no result'], ['last']],
  ],
])('survives %s', async (title, program, printed, limit = 'true') => {
  const path = join(folder, `${title.replaceAll(' ', '-')}.db`)
  const node = [process.execPath, '--no-warnings', '--input-type=module', '--eval', START + program, path]
  const options = { limit: 60_000, cwd: join(__dirname, '../..') }
  const output = await outputOf('sh', ['-c', `${limit}; exec "$@"`, 'sh', ...node], options)
  const lines = output.trim().split('\n')
  expect(lines.flatMap((line) => JSON.parse(line))).toEqual(printed)
})

it('takes an answer of the database that comes after the end of a close, and leads to a wait', () => {
  const clock = makeSystemClock({ now: () => 0, least: () => 0 })
  clock.stop()
  makeAlarm(clock, () => {}).set(5)
})
