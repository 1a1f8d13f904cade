/** Makes a failing program smaller while it still fails. */
import type { Operation, Program } from './program.js'

/** The largest number of programs to try. */
const MOST_TRIES = 300

export async function shrink(
  program: Program,
  stillFails: (program: Program) => Promise<boolean>,
): Promise<Program> {
  let smallest = program
  let tries = 0
  for (let candidates = smallerThan(smallest); tries < MOST_TRIES; tries++) {
    const { value: candidate } = candidates.next()
    if (candidate === undefined) break
    if (!(await stillFails(candidate))) continue
    smallest = candidate
    candidates = smallerThan(smallest)
  }
  return smallest
}

function replace<T>(list: T[], i: number, ...items: T[]): T[] {
  return [...list.slice(0, i), ...items, ...list.slice(i + 1)]
}

/** Lists programs with one part less, the largest parts first. */
function* smallerThan(program: Program): Generator<Program, undefined> {
  if (program.beforeExit.length > 0) yield { ...program, beforeExit: [] }
  if (program.stalls.length > 0) yield { ...program, stalls: [] }
  for (const flag of ['hooks', 'fields'] as const) if (program[flag]) yield { ...program, [flag]: false }
  for (const main of bodiesSmallerThan(program.main)) yield { ...program, main }
  for (const [i, body] of program.beforeExit.entries()) {
    for (const smaller of bodiesSmallerThan(body))
      yield { ...program, beforeExit: replace(program.beforeExit, i, smaller) }
  }
}

function* bodiesSmallerThan(body: Operation[]): Generator<Operation[]> {
  for (const [i, operation] of body.entries()) {
    yield replace(body, i)
    const inner = operation.body
    if (inner === undefined) continue
    yield replace(body, i, ...inner)
    for (const smaller of bodiesSmallerThan(inner)) yield replace(body, i, { ...operation, body: smaller })
  }
}
