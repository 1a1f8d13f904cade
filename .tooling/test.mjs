/**
 * Builds and runs the tests, suite by suite. The last line is `N passed, N failed`. If the run is interrupted or takes too long, it
 * ends everything that it started, and says where it stood.
 *
 *   npm test                               the default suites
 *   npm test -- SUITE ...                  the named suites, in this order
 *   npm test -- fuzz|mutants|coverage ...  all words after one of these three are its own options
 *   npm run test:all                       every suite but mutants and coverage
 *
 * `SUITES` in suites.mjs says what each suite runs.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { whenStopped } from './interruption.mjs'
import { forgetFiles, runningFiles } from './running.cjs'
import { fail, root, say } from './step.mjs'
import { REPORTS, SUITES, sum } from './suites.mjs'

/** Minutes that a run may take: with default suites alone, with other suites of test:all, and with the tests of the tests. */
const MINUTES = { defaults: 90, others: 360, testsOfTests: 1_440 }

function usage() {
  const names = Object.keys(SUITES)
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => {
    const { about, isDefault } = SUITES[name]
    return `  ${isDefault ? '*' : ' '} ${name.padEnd(width)}  ${about}`
  })
  return `usage: npm test -- [SUITE ...]\n\n${lines.join('\n')}\n\n* runs if no suite is named`
}

/**
 * @param {string[]} words
 * @returns {{ name: string, options: string[] }[]} the suites to run
 */
function parse(words) {
  const named = (test) =>
    Object.keys(SUITES)
      .filter((name) => test(SUITES[name]))
      .map((name) => ({ name, options: [] }))
  if (words.length === 0) return named(({ isDefault }) => isDefault)
  if (words.length === 1 && words[0] === '--all') return named(({ testsTheTests }) => !testsTheTests)
  const chosen = []
  for (const [i, name] of words.entries()) {
    if (!Object.hasOwn(SUITES, name)) fail(usage())
    if (SUITES[name].takesOptions) return [...chosen, { name, options: words.slice(i + 1) }]
    chosen.push({ name, options: [] })
  }
  return chosen
}

/** The minutes that a run of these suites may take. TIMEOUT_WHEEL_TEST_MINUTES replaces them. */
function limitOf(suites) {
  if (process.env.TIMEOUT_WHEEL_TEST_MINUTES !== undefined)
    return Number(process.env.TIMEOUT_WHEEL_TEST_MINUTES)
  if (suites.some(({ testsTheTests }) => testsTheTests)) return MINUTES.testsOfTests
  return suites.every(({ isDefault }) => isDefault) ? MINUTES.defaults : MINUTES.others
}

const chosen = parse(process.argv.slice(2))
let total = { passed: 0, failed: 0 }
const sayTotal = () => say(`\n${total.passed} passed, ${total.failed} failed`)

let current = ''
whenStopped(limitOf(chosen.map(({ name }) => SUITES[name])), (why) => {
  const files = runningFiles().map((file) => `\n  ${file}`)
  say(
    `\nThe run was stopped: ${why}. It stood in the suite ${current}${files.length > 0 ? ', in' : ''}${files.join('')}`,
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
  const result = await SUITES[name].run(name, options)
  say(`${name}: ${result.passed} passed, ${result.failed} failed`)
  total = sum(total, result)
}
sayTotal()
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
