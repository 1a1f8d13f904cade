/** Makes a failing program smaller while it still fails. */
import type { Operation, Program } from './program.js'

/** The largest number of programs to try. */
const MOST_TRIES = 300

export async function shrink(
  program: Program,
  stillFails: (program: Program) => Promise<boolean>,
): Promise<Program> {
  let tries = 0
  for (let smallest = program; ; ) {
    let smaller: Program | undefined
    for (const candidate of smallerThan(smallest)) {
      if (++tries > MOST_TRIES) return smallest
      if (await stillFails(candidate)) {
        smaller = candidate
        break
      }
    }
    if (smaller === undefined) return smallest
    smallest = smaller
  }
}

/** Lists programs with one part less, the largest parts first. */
function* smallerThan(program: Program): Generator<Program> {
  if (program.beforeExit.length > 0) yield { ...program, beforeExit: [] }
  if (program.stalls.length > 0) yield { ...program, stalls: [] }
  if (program.hooks) yield { ...program, hooks: false }
  if (program.fields) yield { ...program, fields: false }
  for (const main of bodiesSmallerThan(program.main)) yield { ...program, main }
  for (const [i, body] of program.beforeExit.entries()) {
    for (const smaller of bodiesSmallerThan(body)) {
      yield { ...program, beforeExit: program.beforeExit.map((other, j) => (j === i ? smaller : other)) }
    }
  }
}

function* bodiesSmallerThan(body: Operation[]): Generator<Operation[]> {
  for (const [i, operation] of body.entries()) {
    const [before, after] = [body.slice(0, i), body.slice(i + 1)]
    yield [...before, ...after]
    const inner = operation.body
    if (inner === undefined) continue
    yield [...before, ...inner, ...after]
    for (const smaller of bodiesSmallerThan(inner))
      yield [...before, { ...operation, body: smaller }, ...after]
  }
}
