/**
 * Measures how much of native/core the core's tests reach: lines and outcomes of conditions, file by file. Lists every
 * line and outcome that no test reaches. If no test can reach a line, a comment on that line says why, after
 * `Unreached:`. An unreached line without such a comment fails the suite.
 *
 *   npm test -- coverage
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { fail, mustRun, outputOf, root, say } from './step.mjs'

const PRESET = 'core-tests-coverage'
const EXPLAINED = 'Unreached:'

const binary = join(root, 'build', PRESET, 'core_tests')
const raw = join(root, 'build', PRESET, 'core_tests.profraw')
const profile = join(root, 'build', PRESET, 'core_tests.profdata')

/** @typedef {{ at: string, text: string, taken: [boolean, boolean] }} Condition */
/** @typedef {{ name: string, lines: number, missed: number[], conditions: Condition[], source: string[] }} FileCoverage */

function exported(format) {
  const args = ['export', binary, `-instr-profile=${profile}`, `-format=${format}`, join(root, 'native/core')]
  return outputOf('llvm-cov', args)
}

/** Counts the lines of code of each file, and lists the lines that never ran. */
async function linesByFile() {
  return (await exported('lcov'))
    .split('end_of_record\n')
    .filter((record) => record.includes('SF:'))
    .map((record) => {
      const counts = [...record.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) => [+line, +count])
      return {
        path: record.match(/^SF:(.*)$/m)[1],
        lines: counts.length,
        missed: counts.filter(([, count]) => count === 0).map(([line]) => line),
      }
    })
}

/** Groups conditions by their place in the source: all instances of a template count as one. */
function conditionsOf(branches, source) {
  /** @type {Map<string, Condition>} */
  const byPlace = new Map()
  for (const [line, column, endLine, endColumn, whenTrue, whenFalse] of branches) {
    const at = `${line}:${column}`
    const text =
      line === endLine ? source[line - 1].slice(column - 1, endColumn - 1) : source[line - 1].trim()
    const known = byPlace.get(at) ?? { at, text, taken: [false, false] }
    known.taken = [known.taken[0] || whenTrue > 0, known.taken[1] || whenFalse > 0]
    byPlace.set(at, known)
  }
  return [...byPlace.values()]
}

/** @returns {Promise<FileCoverage[]>} */
async function measure() {
  const { files } = JSON.parse(await exported('text')).data[0]
  return (await linesByFile())
    .map(({ path, lines, missed }) => {
      const source = readFileSync(path, 'utf8').split('\n')
      const { branches } = files.find(({ filename }) => filename === path)
      return {
        name: relative('native/core', path),
        lines,
        missed,
        conditions: conditionsOf(branches, source),
        source,
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

function share(reached, all) {
  return (
    `${reached}/${all}`.padStart(9) + (all === 0 ? '' : ` ${((100 * reached) / all).toFixed(1)}%`).padStart(8)
  )
}

function printTable(files) {
  say(`\n${'native/core'.padEnd(20)}${'lines'.padStart(17)}${'outcomes'.padStart(17)}`)
  const rows = files.map(({ name, lines, missed, conditions }) => ({
    name,
    lines,
    reached: lines - missed.length,
    outcomes: 2 * conditions.length,
    taken: conditions.flatMap(({ taken }) => taken).filter(Boolean).length,
  }))
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0)
  rows.push({
    name: 'all',
    ...Object.fromEntries(['lines', 'reached', 'outcomes', 'taken'].map((key) => [key, sum(key)])),
  })
  for (const { name, lines, reached, outcomes, taken } of rows) {
    say(`${name.padEnd(20)}${share(reached, lines)}${share(taken, outcomes)}`)
  }
}

/** Lists the unreached lines and outcomes. Returns the number of unreached lines without an explanation. */
function printUnreached(files) {
  let unexplained = 0
  for (const { name, missed, conditions, source } of files) {
    for (const line of missed) {
      const text = source[line - 1]
      if (!text.includes(EXPLAINED)) unexplained++
      say(`native/core/${name}:${line}: not reached: ${text.trim()}`)
    }
    for (const { at, text, taken } of conditions) {
      if (!taken[0]) say(`native/core/${name}:${at}: never true: ${text}`)
      if (!taken[1]) say(`native/core/${name}:${at}: never false: ${text}`)
    }
  }
  return unexplained
}

function writeReport(files) {
  mkdirSync(join(root, 'build/reports'), { recursive: true })
  const report = files.map(({ source, ...file }) => file)
  writeFileSync(join(root, 'build/reports/coverage.json'), JSON.stringify(report, null, 2))
}

/** @returns {Promise<{ passed: number, failed: number }>} lines that are reached or explained, and lines that are neither */
export async function coverage(options = []) {
  if (options.length > 0) fail('usage: npm test -- coverage')
  await setUp(['tests', 'coverage'])
  await cmakeBuild(PRESET)
  await mustRun(binary, ['--gtest_brief=1'], { env: { LLVM_PROFILE_FILE: raw }, quiet: true })
  await mustRun('llvm-profdata', ['merge', '-sparse', raw, '-o', profile])
  const files = await measure()
  printTable(files)
  say('')
  const failed = printUnreached(files)
  writeReport(files)
  if (failed > 0) say(`${failed} unreached lines have no comment that says why (${EXPLAINED} ...)`)
  return { passed: files.reduce((total, { lines }) => total + lines, 0) - failed, failed }
}
