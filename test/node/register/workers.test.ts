/** A worker thread has its timers replaced if its options or its first module load `register`. */
import { join } from 'node:path'
import type { WorkerOptions } from 'node:worker_threads'
import { expect, it } from '@jest/globals'
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

/** The workers start one after the other. The last line is of the main thread. */
it.each<[title: string, flags: string[], env: NodeJS.ProcessEnv, workers: Worker[], lines: string[]]>([
  ...FLAGS.map((flag): [string, string[], NodeJS.ProcessEnv, Worker[], string[]] => [
    `inherit ${flag}, unless they have other flags`,
    [flag, REGISTER],
    {},
    FILES.flatMap((file): Worker[] => [[file], [file, { execArgv: [] }]]),
    [OURS, NATIVE, OURS, NATIVE, OURS],
  ]),
  [
    'get a flag or import it, and no other thread does',
    [],
    {},
    [
      ...FLAGS.flatMap((flag) => FILES.map((file): Worker => [file, { execArgv: [flag, REGISTER] }])),
      inText(`require('${REGISTER}'); require(${SHOW})`),
      ...FILES.map((file): Worker => [file]),
    ],
    [OURS, OURS, OURS, OURS, OURS, NATIVE, NATIVE, NATIVE],
  ],
  ...FLAGS.map((flag): [string, string[], NodeJS.ProcessEnv, Worker[], string[]] => [
    `have the environment with ${flag} in NODE_OPTIONS`,
    [],
    { NODE_OPTIONS: `${flag}=${REGISTER}` },
    [
      ['show.mjs'],
      ['show.mjs', { execArgv: [] }],
      ['show.mjs', { execArgv: ['--no-warnings'] }],
      ['show.mjs', { execArgv: [], env: {} }],
    ],
    [OURS, OURS, OURS, NATIVE, OURS],
  ]),
  [
    // They honour only `--require`.
    'are made with eval: true, and restores the timers of one thread alone',
    ['--require', REGISTER],
    {},
    [
      inText(`require(${SHOW})`),
      inText(`require('${REGISTER}').unregister(); require(${SHOW})`),
      ['show.mjs'],
    ],
    [OURS, NATIVE, OURS, OURS],
  ],
])('replaces the timers of workers that %s', async (_title, flags, env, workers, lines) => {
  const start = [join(__dirname, 'fixtures/start.mjs'), JSON.stringify(workers)]
  expect(await runNode([...flags, ...start], env)).toEqual({ ...CLEAN, lines })
})
