/** A worker thread has its timers replaced if its options or its first module load `register`. */
import { join } from 'node:path'
import type { WorkerOptions } from 'node:worker_threads'
import { CLEAN } from '../backends.js'
import { runNode } from '../child.js'

type Worker = [code: string, options?: WorkerOptions]

/** Each thread prints whether its globals are ours, and whether the exports of node:timers are. */
const OURS = 'true true'
const NATIVE = 'false false'
const REGISTER = 'timeout-wheel/register'
const SHOW = JSON.stringify(join(__dirname, 'fixtures/show.cjs'))
const FILES = ['show.cjs', 'show.mjs']
const FLAGS = ['--require', '--import']
const inText = (text: string): Worker => [text, { eval: true }]

/** Starts the workers one after the other. The last line is of the main thread. */
function threads(title: string, flags: string[], workers: Worker[], lines: string[], env = {}): void {
  const start = [join(__dirname, 'fixtures/start.mjs'), JSON.stringify(workers)]
  it(title, async () => expect(await runNode([...flags, ...start], env)).toEqual({ ...CLEAN, lines }))
}

for (const flag of FLAGS) {
  const inheriting = FILES.flatMap((file): Worker[] => [[file], [file, { execArgv: [] }]])
  const lines = [OURS, NATIVE, OURS, NATIVE, OURS]
  threads(`applies to workers that inherit ${flag}`, [flag, REGISTER], inheriting, lines)

  const options: WorkerOptions[] = [
    {},
    { execArgv: [] },
    { execArgv: ['--no-warnings'] },
    { execArgv: [], env: {} },
  ]
  threads(
    `applies to every worker with the environment if ${flag} is in NODE_OPTIONS`,
    [],
    options.map((one): Worker => ['show.mjs', one]),
    [OURS, OURS, OURS, NATIVE, OURS],
    { NODE_OPTIONS: `${flag}=${REGISTER}` },
  )
}

threads(
  'applies to workers that get a flag or import it, and to no other thread',
  [],
  [
    ...FLAGS.flatMap((flag) => FILES.map((file): Worker => [file, { execArgv: [flag, REGISTER] }])),
    inText(`require('${REGISTER}'); require(${SHOW})`),
    ...FILES.map((file): Worker => [file]),
  ],
  [OURS, OURS, OURS, OURS, OURS, NATIVE, NATIVE, NATIVE],
)

// Workers made with `eval: true` honour only `--require`.
threads(
  'applies by --require to workers made with eval: true, and is undone in the calling thread alone',
  ['--require', REGISTER],
  [inText(`require(${SHOW})`), inText(`require('${REGISTER}').unregister(); require(${SHOW})`), ['show.mjs']],
  [OURS, NATIVE, OURS, OURS],
)
