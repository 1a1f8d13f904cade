/** Runs the specifications where Jest does not run, one test after the other, and notes each outcome. The matchers are Jest's own. */
import { expect } from 'expect'
import { format } from 'pretty-format'

export { expect }

export interface Outcome {
  /** The name of the file, without its ending. */
  readonly spec: string
  readonly name: string
  /** The reason if it did not run. */
  readonly leftOut?: string | undefined
  readonly failure?: string | undefined
}

/** Returns the reason if a test is left out here. */
export type LeftOut = (spec: string, title: string) => string | undefined

type Body = (...args: never[]) => unknown

interface Test {
  readonly spec: string
  /** The title as the source has it, with placeholders if it is a row of tests. */
  readonly title: string
  readonly name: string
  readonly body: () => unknown
}

const tests: Test[] = []
let spec = ''
/** The names of the groups around the next test, from the outermost on. */
let groups: readonly string[] = []

/** Assigns all tests that are collected from now on to the file `name`. */
export function openSpec(name: string): void {
  spec = name
  groups = []
}

function describeOne(name: string, body: () => unknown): void {
  const outer = groups
  groups = [...outer, name]
  body()
  groups = outer
}

/** The values of a row: a single value may stand for itself. */
const valuesOf = (row: unknown): readonly never[] => (Array.isArray(row) ? row : [row]) as never[]

/** Makes the function `each` of one that declares a row under the title that shows its values. */
const eachBy =
  (declare: (shown: string, body: () => unknown, title: string) => void) =>
  (rows: readonly unknown[]) =>
  (title: string, body: Body): void => {
    for (const values of rows.map(valuesOf)) declare(titleOf(title, values), () => body(...values), title)
  }

export const describe = Object.assign(describeOne, { each: eachBy(describeOne) })

function add(shown: string, body: () => unknown, title = shown): void {
  tests.push({ spec, title, name: [...groups, shown].join(' › '), body })
}

const show = (value: unknown): string =>
  typeof value === 'string' ? value : format(value, { maxDepth: 1, min: true })

/** Makes the title of one row: %p, %s and %d are its values in order, $name is a property of the first value. */
function titleOf(title: string, row: readonly unknown[]): string {
  const values = row.values()
  const properties = Object(row[0]) as Record<string, unknown>
  return title
    .replaceAll(/%[psd]/g, () => show(values.next().value))
    .replaceAll(/\$(\w+)/g, (whole, name: string) => (name in properties ? show(properties[name]) : whole))
}

export const it = Object.assign(add, { each: eachBy(add) })

const TIME_LIMIT = 60_000

async function inTime(body: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${TIME_LIMIT} ms`)), TIME_LIMIT)
  })
  try {
    await Promise.race([body(), limit])
  } finally {
    clearTimeout(timer)
  }
}

function describeFailure(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `thrown: ${format(thrown)}`
  // The stacks of WebKit and Firefox lack the message.
  return thrown.stack?.includes(thrown.message) ? thrown.stack : `${thrown}\n${thrown.stack}`
}

/** An error that reaches the error report of the page or process during a test is a failure of that test. */
const stray: string[] = []
export function noteStray(thrown: unknown): void {
  stray.push(describeFailure(thrown))
}

async function failureOf({ body }: Test): Promise<string | undefined> {
  const failures = await inTime(body).then(
    (): string[] => [],
    (error) => [describeFailure(error)],
  )
  failures.push(...stray.splice(0))
  return failures.length === 0 ? undefined : failures.join('\n')
}

/** Runs all collected tests, and calls `note` after each. */
export async function runAll(leftOut: LeftOut, note: (outcome: Outcome) => Promise<unknown>): Promise<void> {
  for (const test of tests) {
    const reason = leftOut(test.spec, test.title)
    const failure = reason === undefined ? await failureOf(test) : undefined
    await note({ spec: test.spec, name: test.name, leftOut: reason, failure })
  }
}
