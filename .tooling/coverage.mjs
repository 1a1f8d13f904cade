/**
 * Measures how much of native/core the core's tests reach: lines and outcomes of conditions, file by file. Lists every
 * line and outcome that no test reaches. If no test can reach a line, a comment on that line says why, after
 * `Unreached:`. An unreached line without such a comment fails the suite.
 *
 *   npm test -- coverage
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { fail, mustRun, outputOf, root, say } from './step.mjs'

const PRESET = 'core-tests-coverage'
const EXPLAINED = 'Unreached:'

const binary = join(root, 'build', PRESET, 'core_tests')
const profile = `${binary}.profdata`

/** @typedef {{ name: string, lines: number, missed: number[], conditions: [at: string, text: string, taken: boolean[]][], source: string[] }} File */

const exported = (format) =>
  outputOf('llvm-cov', [
    ...['export', binary, `-instr-profile=${profile}`, `-format=${format}`, join(root, 'native/core')],
  ])

/** Groups conditions by their place in the source: all instances of a template count as one. */
function conditionsOf(branches, source) {
  const byPlace = new Map()
  for (const [line, column, endLine, endColumn, ...counts] of branches) {
    const text =
      line === endLine ? source[line - 1].slice(column - 1, endColumn - 1) : source[line - 1].trim()
    const [, , taken] = byPlace.get(`${line}:${column}`) ?? [undefined, undefined, [false, false]]
    byPlace.set(`${line}:${column}`, [`${line}:${column}`, text, taken.map((one, i) => one || counts[i] > 0)])
  }
  return [...byPlace.values()]
}

/** @returns {Promise<File[]>} */
async function measure() {
  const { files } = JSON.parse(await exported('text')).data[0]
  const records = (await exported('lcov')).split('end_of_record\n').filter((record) => record.includes('SF:'))
  return records
    .map((record) => {
      const [, path] = record.match(/^SF:(.*)$/m)
      const source = readFileSync(path, 'utf8').split('\n')
      const counts = Array.from(record.matchAll(/^DA:(\d+),(\d+)/gm), ([, line, count]) => [+line, +count])
      const { branches } = files.find(({ filename }) => filename === path)
      return {
        name: relative(join(root, 'native/core'), path),
        lines: counts.length,
        missed: counts.filter(([, count]) => count === 0).map(([line]) => line),
        conditions: conditionsOf(branches, source),
        source,
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

/** @param {string} name @param {File[]} files */
function sayReached(name, files) {
  const share = (all, missed) => `${all - missed}/${all}`.padStart(10)
  const lines = files.reduce((total, file) => total + file.lines, 0)
  const outcomes = files.flatMap(({ conditions }) => conditions.flatMap(([, , taken]) => taken))
  const missed = files.flatMap((file) => file.missed).length
  const untaken = outcomes.filter((taken) => !taken).length
  say(`${name.padEnd(20)} lines ${share(lines, missed)}   outcomes ${share(outcomes.length, untaken)}`)
}

/** @returns {Promise<import('./counts.mjs').Count>} lines that are reached or explained, and lines that are neither */
export async function coverage(options = []) {
  if (options.length > 0) fail('usage: npm test -- coverage')
  await setUp(['tests', 'coverage'])
  await cmakeBuild(PRESET)
  const raw = `${binary}.profraw`
  await mustRun(binary, ['--gtest_brief=1'], { env: { LLVM_PROFILE_FILE: raw }, quiet: true })
  await mustRun('llvm-profdata', ['merge', '-sparse', raw, '-o', profile])
  const files = await measure()
  for (const file of files) sayReached(file.name, [file])
  sayReached('all', files)
  let failed = 0
  for (const { name, missed, conditions, source } of files) {
    for (const line of missed) {
      if (!source[line - 1].includes(EXPLAINED)) failed++
      say(`native/core/${name}:${line}: not reached: ${source[line - 1].trim()}`)
    }
    for (const [at, text, [isTrue, isFalse]] of conditions) {
      if (!isTrue) say(`native/core/${name}:${at}: never true: ${text}`)
      if (!isFalse) say(`native/core/${name}:${at}: never false: ${text}`)
    }
  }
  if (failed > 0) say(`${failed} unreached lines have no comment that says why (${EXPLAINED} ...)`)
  return { passed: files.reduce((total, { lines }) => total + lines, 0) - failed, failed }
}
