/**
 * Fuzzes the core by its model: first every program of test/fuzz/corpus, then new ones for a minute.
 *
 *   node .tooling/fuzz.mjs [--seconds=60]
 *   node .tooling/fuzz.mjs --replay=FILE    runs the program of a crash alone
 *   node .tooling/fuzz.mjs --keep           adds to the corpus what former runs found: the least that reaches as much
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { fail, mustRun, root, run, say } from './step.mjs'

const CORPUS = 'test/fuzz/corpus'
/** What the fuzzer found new, and crashes. No build output is committed. */
const FOUND = 'build/fuzz/found'
const CRASHES = 'build/fuzz/crashes'
const FUZZER = join(root, 'build/core-fuzz/core_fuzz')
/** Longer programs reach nothing that these do not, and a corpus of short ones is small. */
const MAX_BYTES = 1024
const KEEP_BYTES = 256

function build() {
  setUp(['fuzz'])
  say('\ncore-fuzz: building')
  cmakeBuild('core-fuzz')
  for (const folder of [FOUND, CRASHES]) mkdirSync(join(root, folder), { recursive: true })
}

const filesIn = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)

function report() {
  // It also keeps programs that were merely slow.
  const crashes = filesIn(CRASHES).filter((file) => !file.startsWith(`${CRASHES}/slow-unit-`))
  for (const file of crashes) say(`replay: npm run test:fuzz -- --replay=${file}`)
  if (crashes.length === 0) say('the fuzzer ended without a program to replay')
}

/** @returns {{ passed: number, failed: number }} two tests: the corpus, and the new programs */
export function fuzz(seconds = 60) {
  build()
  rmSync(join(root, CRASHES), { recursive: true })
  mkdirSync(join(root, CRASHES))
  const options = [`-artifact_prefix=${CRASHES}/`, '-verbosity=0', '-timeout=30']
  const runs = [
    [...options, '-runs=0', CORPUS],
    [
      ...options,
      `-max_total_time=${seconds}`,
      `-max_len=${MAX_BYTES}`,
      '-print_final_stats=1',
      FOUND,
      CORPUS,
    ],
  ]
  for (const [passed, args] of runs.entries()) {
    if (run(FUZZER, args) === 0) continue
    report()
    return { passed, failed: 1 }
  }
  return { passed: runs.length, failed: 0 }
}

function keep() {
  build()
  mustRun(FUZZER, ['-merge=1', `-max_len=${KEEP_BYTES}`, '-verbosity=0', CORPUS, FOUND])
  say(`${CORPUS}: ${filesIn(CORPUS).length} programs`)
}

function main(args) {
  const [, name, value] = args.join(' ').match(/^--(seconds|replay|keep)(?:=(\S+))?$/) ?? []
  if (args.length > 0 && (name === undefined || (name === 'keep') !== (value === undefined))) {
    fail('usage: node .tooling/fuzz.mjs [--seconds=N | --replay=FILE | --keep]')
  }
  if (name === 'keep') return keep()
  if (name === 'replay') {
    build()
    process.exitCode = run(FUZZER, [value])
    return
  }
  const { passed, failed } = fuzz(value === undefined ? 60 : Number(value))
  say(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2))
