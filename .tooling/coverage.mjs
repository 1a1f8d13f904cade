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
import { mustRun, outputOf, root, say } from './step.mjs'

const PRESET = 'core-tests-coverage'
const binary = join(root, 'build', PRESET, 'core_tests')
const profile = `${binary}.profdata`
const core = join(root, 'native/core')

const exported = (format) =>
  outputOf('llvm-cov', ['export', binary, `-instr-profile=${profile}`, `-format=${format}`, core])

/** The outcomes of conditions by their place in the source: all instances of a template count as one. @param {number[][]} branches */
function outcomesOf(branches) {
  const byPlace = new Map()
  for (const [line, column, , , whenTrue, whenFalse] of branches) {
    const [isTrue, isFalse] = byPlace.get(`${line}:${column}`) ?? []
    byPlace.set(`${line}:${column}`, [isTrue || whenTrue > 0, isFalse || whenFalse > 0])
  }
  return [...byPlace].flatMap(([at, [isTrue, isFalse]]) => [
    { at, what: 'never true', isReached: isTrue },
    { at, what: 'never false', isReached: isFalse },
  ])
}

async function measure() {
  const { files } = JSON.parse(await exported('text')).data[0]
  const records = (await exported('lcov')).split('end_of_record\n').filter((record) => record.includes('SF:'))
  return records.map((record) => {
    const [, path] = record.match(/^SF:(.*)$/m)
    return {
      name: relative(core, path),
      source: readFileSync(path, 'utf8').split('\n'),
      lines: Array.from(record.matchAll(/^DA:(\d+),(\d+)/gm), ([, at, count]) => {
        return { at, what: 'not reached', isReached: count !== '0' }
      }),
      outcomes: outcomesOf(files.find(({ filename }) => filename === path).branches),
    }
  })
}

const share = (places) => `${places.filter(({ isReached }) => isReached).length}/${places.length}`

/** @returns {Promise<import('./counts.mjs').Count>} lines that are reached or explained, and lines that are neither */
export async function coverage() {
  await cmakeBuild(PRESET)
  const raw = `${binary}.profraw`
  await mustRun(binary, ['--gtest_brief=1'], { env: { LLVM_PROFILE_FILE: raw }, quiet: true })
  await mustRun('llvm-profdata', ['merge', '-sparse', raw, '-o', profile])
  const files = await measure()
  const all = files.flatMap(({ lines }) => lines)
  for (const { name, lines, outcomes } of files)
    say(`${name}: lines ${share(lines)}, outcomes ${share(outcomes)}`)
  say(`all: lines ${share(all)}, outcomes ${share(files.flatMap(({ outcomes }) => outcomes))}`)
  let failed = 0
  for (const { name, source, lines, outcomes } of files) {
    for (const { at, what, isReached } of [...lines, ...outcomes]) {
      if (isReached) continue
      const text = source[Number.parseInt(at, 10) - 1].trim()
      say(`native/core/${name}:${at}: ${what}: ${text}`)
      if (what === 'not reached' && !text.includes('Unreached:')) failed++
    }
  }
  if (failed > 0) say(`${failed} unreached lines have no comment that says why (Unreached: ...)`)
  return { passed: all.length - failed, failed }
}
