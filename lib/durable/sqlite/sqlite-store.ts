/**
 * A store in an SQLite file, as the engine sees it: a worker thread that has the file open. If the thread ends by itself, for example because
 * memory ran out, the next call starts another one.
 */
import { isBuiltin } from 'node:module'
import { Worker } from 'node:worker_threads'
import { outside } from '../common/context.js'
import { DurableError } from '../common/errors.js'
import type { Store } from '../common/store.js'
import { timeOfDay } from '../common/time.js'
import { errorOf } from './errors.js'
import type { Call, Reply, ThreadOptions } from './worker.js'
import { workerSource } from './worker-source.js'

/** @throws DurableError if the file cannot be opened */
export async function openSqlite(options: ThreadOptions): Promise<Store> {
  const { path, time } = options
  if (!isBuiltin('node:sqlite')) {
    const message = `durable timers in a file need Node 22.13 or later, for node:sqlite; this is ${process.version}`
    throw new DurableError('ERR_DURABLE_UNSUPPORTED', message)
  }
  let worker: Worker | undefined
  /** The calls whose answers have not come. They come in the order of the calls. */
  const waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = []
  /** Whether the timers were lost with the thread, or the store was closed. */
  let hasEnded = false
  let news = (): void => {}

  function call(method: Call['method'], args: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (hasEnded) throw errorThat('ERR_DURABLE_STORE', 'that held the timers has ended: they are lost')
      worker ??= outside(start)
      // Answers that are waited for keep the process alive, the thread does not.
      if (waiting.length === 0) worker.ref()
      waiting.push({ resolve, reject })
      worker.postMessage(JSON.stringify({ method, args } satisfies Call))
    })
  }

  function start(): Worker {
    let started: Worker
    try {
      // Without other options of the program, which may be meant for its text: `node --input-type=module --eval`.
      const execArgv = process.execArgv.filter((option) => /^--(no.warnings$|disable.warning=)/.test(option))
      started = new Worker(workerSource, { eval: true, workerData: options, execArgv })
    } catch (cause) {
      throw errorThat('ERR_DURABLE_UNAVAILABLE', 'cannot start', cause)
    }
    const ended = (cause?: unknown): void => {
      if (worker !== started) return
      worker = undefined
      hasEnded = path === ':memory:'
      const error = errorThat('ERR_DURABLE_DOUBT', 'has ended', cause)
      for (const { reject } of waiting.splice(0)) reject(error)
    }
    started.on('message', (text: string) => {
      if (worker !== started) return
      const reply: Reply | null = JSON.parse(text)
      if (reply === null) return news()
      const { resolve, reject } = waiting.shift()!
      if (waiting.length === 0) started.unref()
      if (reply.failure === undefined) resolve(reply.value)
      else reject(errorOf(reply.failure, path))
    })
    started.on('error', ended)
    started.on('exit', () => ended())
    started.unref()
    return started
  }

  function errorThat(code: DurableError['code'], what: string, cause?: unknown): DurableError {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    return new DurableError(code, `${path}: the worker thread of the store ${what}${reason}`, cause)
  }

  async function end(): Promise<void> {
    const ending = worker
    worker = undefined
    hasEnded = true
    await ending?.terminate()
  }

  await call('open', {}).catch((error) => end().then(() => Promise.reject(error)))
  const now = time === undefined ? timeOfDay : () => time[0]!
  return {
    now,
    least: now,
    onNews(callback) {
      news = callback
    },
    call: call as Store['call'],
    async close() {
      try {
        if (worker !== undefined) await call('close', {})
      } finally {
        await end()
      }
    },
  }
}
