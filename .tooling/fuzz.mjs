/**
 * Fuzzes the core against its model: first every program of the corpus, then new programs for a minute.
 *
 *   npm test -- fuzz [--seconds=60]
 *   npm test -- fuzz --replay=FILE    runs the program of one crash
 *   npm test -- fuzz --keep           adds to the corpus the programs of earlier runs that reach new code
 *
 * The corpus is one file: a program a line, its bytes in hexadecimal, sorted. libFuzzer reads folders, so each run
 * unpacks the corpus into a build folder.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { fail, mustRun, root, run, say } from './step.mjs'

const CORPUS = 'test/fuzz/corpus.hex'
const UNPACKED = 'build/fuzz/corpus'
/** The programs that the fuzzer finds, and those that crash. */
const FOUND = 'build/fuzz/found'
const CRASHES = 'build/fuzz/crashes'
const FUZZER = join(root, 'build/core-fuzz/core_fuzz')
/** Longer programs reach no more code than programs of this length. */
const MAX_BYTES = 1024
/** Kept programs are shorter still, so that the corpus stays small. */
const KEEP_BYTES = 256
const USAGE = 'usage: npm test -- fuzz [--seconds=N | --replay=FILE | --keep]'

const filesIn = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)

function emptyFolder(folder) {
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder), { recursive: true })
}

/** Writes a file for each program of the corpus, under the name that libFuzzer would give it: the SHA-1 of its bytes. */
function unpackCorpus() {
  emptyFolder(UNPACKED)
  for (const line of readFileSync(join(root, CORPUS), 'utf8').split('\n')) {
    if (line === '') continue
    if (!/^([0-9a-f]{2})+$/.test(line)) fail(`${CORPUS}: not a program in hexadecimal: ${line}`)
    const bytes = Buffer.from(line, 'hex')
    const name = createHash('sha1').update(bytes).digest('hex')
    writeFileSync(join(root, UNPACKED, name), bytes)
  }
}

/** @returns {number} the programs of the corpus, which are then those of the build folder */
function packCorpus() {
  const programs = filesIn(UNPACKED).map((file) => readFileSync(join(root, file)).toString('hex'))
  const lines = [...new Set(programs)].filter((line) => line !== '').sort()
  writeFileSync(join(root, CORPUS), `${lines.join('\n')}\n`)
  return lines.length
}

async function build() {
  await setUp(['fuzz'])
  say('\nfuzz: building')
  await cmakeBuild('core-fuzz')
  mkdirSync(join(root, FOUND), { recursive: true })
  unpackCorpus()
}

function report() {
  // libFuzzer also writes the programs that were only slow.
  const crashes = filesIn(CRASHES).filter((file) => !file.startsWith(`${CRASHES}/slow-unit-`))
  for (const file of crashes) say(`replay: npm test -- fuzz --replay=${file}`)
  if (crashes.length === 0) say('the fuzzer failed, but wrote no program to replay')
}

/** @returns {Promise<{ passed: number, failed: number }>} two tests: the corpus, and the new programs */
async function runFor(seconds) {
  await build()
  emptyFolder(CRASHES)
  const options = [`-artifact_prefix=${CRASHES}/`, '-verbosity=0', '-timeout=30']
  const runs = [
    [...options, '-runs=0', UNPACKED],
    [
      ...options,
      `-max_total_time=${seconds}`,
      `-max_len=${MAX_BYTES}`,
      '-print_final_stats=1',
      FOUND,
      UNPACKED,
    ],
  ]
  for (const [passed, args] of runs.entries()) {
    if ((await run(FUZZER, args)) === 0) continue
    report()
    return { passed, failed: 1 }
  }
  return { passed: runs.length, failed: 0 }
}

async function replay(file) {
  await build()
  return (await run(FUZZER, [file])) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

async function keep() {
  await build()
  const options = ['-set_cover_merge=1', '-use_counters=0', `-max_len=${KEEP_BYTES}`, '-verbosity=0']
  await mustRun(FUZZER, [...options, UNPACKED, FOUND])
  say(`${CORPUS}: ${packCorpus()} programs`)
  return { passed: 1, failed: 0 }
}

/**
 * @param {string[]} options
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function fuzz(options = []) {
  if (options.length === 0) return runFor(60)
  const [, name, value] = options.join(' ').match(/^--(seconds|replay|keep)(?:=(\S+))?$/) ?? []
  if (name === 'keep' && value === undefined) return keep()
  if (name === 'replay' && value !== undefined) return replay(value)
  if (name === 'seconds' && Number(value) > 0) return runFor(Number(value))
  return fail(USAGE)
}
