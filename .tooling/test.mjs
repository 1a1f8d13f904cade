/**
 * Builds and runs the tests, suite by suite. The last line is `N passed, N failed`. If the run is interrupted or takes too long, it
 * ends everything that it started, and says where it stood.
 *
 *   npm test                               the default suites
 *   npm test -- quick                      the core, the contract and the types: while you work
 *   npm test -- SUITE ...                  the named suites, in this order
 *   npm test -- fuzz|mutants|coverage ...  all words after one of these three are its own options
 *   npm run test:all                       every suite but mutants and coverage, with the large numbers of test/scale.ts
 *   npm run test:all -- --part=1/3         the first of three parts of them
 *
 * `SUITES` in suites.mjs says what each suite runs. A failed test of Jest runs once more at the end, alone. If it passes then, it counts
 * as passed, and the last lines name it.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { repeatFailed } from './again.mjs'
import { REPORTS, sum } from './counts.mjs'
import { whenStopped } from './interruption.mjs'
import { partOf } from './parts.mjs'
import { forgetFiles, runningFiles } from './running.cjs'
import { fail, root, say } from './step.mjs'
import { GROUPS, SUITES } from './suites.mjs'

/** Minutes that a run may take: with default suites alone, with other suites of test:all, and with the tests of the tests. */
const MINUTES = { defaults: 30, others: 180, testsOfTests: 1_440 }

function usage() {
  const names = Object.keys(SUITES)
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => {
    const { about, isDefault } = SUITES[name]
    return `  ${isDefault ? '*' : ' '} ${name.padEnd(width)}  ${about}`
  })
  const groups = Object.entries(GROUPS).map(([name, suites]) => `  ${name}: ${suites.join(', ')}`)
  return (
    `usage: npm test -- [SUITE ...]\n       npm run test:all -- [--part=N/PARTS]\n\n${lines.join('\n')}\n\n` +
    `* runs if no suite is named\n\n${groups.join('\n')}`
  )
}

/** The suites of test:all, or of one of its parts. `word`: `--part=1/3` @returns {string[]} */
function allSuites(word = '--part=1/1') {
  const [, part, parts] = word.match(/^--part=(\d)\/(\d)$/)?.map(Number) ?? fail(usage())
  if (part < 1 || part > parts) fail(usage())
  const all = Object.entries(SUITES).filter(([, { testsTheTests, within }]) => !testsTheTests && !within)
  return partOf(
    all.map(([name, { minutes = 1 }]) => ({ name, minutes })),
    part,
    parts,
  )
}

/**
 * @param {string[]} words
 * @returns {{ name: string, options: string[] }[]} the suites to run
 */
function parse(words) {
  const plain = (names) => names.map((name) => ({ name, options: [] }))
  if (words.length === 0) return plain(Object.keys(SUITES).filter((name) => SUITES[name].isDefault))
  if (words[0] === '--all' && words.length <= 2) return plain(allSuites(words[1]))
  const chosen = []
  for (const [i, name] of words.entries()) {
    if (Object.hasOwn(GROUPS, name)) chosen.push(...plain(GROUPS[name]))
    else if (!Object.hasOwn(SUITES, name)) fail(usage())
    else if (SUITES[name].takesOptions) return [...chosen, { name, options: words.slice(i + 1) }]
    else chosen.push({ name, options: [] })
  }
  return chosen
}

/** The minutes that a run of these suites may take. TIMEOUT_WHEEL_TEST_MINUTES replaces them. */
function limitOf(suites) {
  if (process.env.TIMEOUT_WHEEL_TEST_MINUTES !== undefined)
    return Number(process.env.TIMEOUT_WHEEL_TEST_MINUTES)
  if (suites.some(({ testsTheTests }) => testsTheTests)) return MINUTES.testsOfTests
  return suites.every(({ isDefault, within }) => isDefault || within !== undefined)
    ? MINUTES.defaults
    : MINUTES.others
}

/** @param {number} since @returns {string} */
const timeSince = (since) => {
  const seconds = Math.round((performance.now() - since) / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}

const words = process.argv.slice(2)
const chosen = parse(words)
if (words[0] === '--all') process.env.TIMEOUT_WHEEL_SCALE ??= 'large'
let total = { passed: 0, failed: 0 }
const sayTotal = () => say(`\n${total.passed} passed, ${total.failed} failed`)

let current = ''
whenStopped(limitOf(chosen.map(({ name }) => SUITES[name])), (why) => {
  const files = runningFiles().map((file) => `\n  ${file}`)
  say(
    `\nThe run was stopped: ${why}. It was in the suite ${current}${files.length > 0 ? ', in' : ''}${files.join('')}`,
  )
  total.failed++
  sayTotal()
  // Kills all children.
  process.exit(1)
})

mkdirSync(join(root, REPORTS), { recursive: true })
for (const { name, options } of chosen) {
  current = name
  forgetFiles()
  rmSync(join(root, REPORTS, `${name}.json`), { force: true })
  const start = performance.now()
  const result = await SUITES[name].run(name, options)
  say(`${name}: ${result.passed} passed, ${result.failed} failed, ${timeSince(start)}`)
  total = sum(total, result)
}
const { unstable, ...end } = await repeatFailed(total)
total = end
if (unstable.length > 0) say(['\nunstable:', ...unstable].join('\n  '))
sayTotal()
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
