/**
 * How arguments travel to the functions of the database, and answers back. Items of which many come travel as one array for each field:
 * that costs a fifth of what records in JSON do. Arrays of numbers are texts.
 */
import type { Answer, Args, Changed, Method } from '../common/store.js'

/** The fields of items, with their types in the database. */
export type Fields = Record<string, 'text' | 'bigint'>

export const CHANGE = {
  ...({ name: 'text', key: 'text', id: 'text', due: 'bigint', data: 'text', rule: 'text' } as const),
  ...({ owner: 'bigint', if_exists: 'text' } as const),
} satisfies Fields

export const END = {
  ...({ name: 'text', key: 'text', was: 'bigint', id: 'text', start: 'bigint', new_id: 'text' } as const),
  // Of the row that it becomes.
  ...({ next_id: 'text', at: 'bigint', due: 'bigint', last: 'bigint', owner: 'bigint' } as const),
  ...({ starts: 'bigint', failures: 'bigint', deaths: 'bigint', watched: 'bigint', error: 'text' } as const),
} satisfies Fields

type Item<F extends Fields> = {
  [Name in keyof F]?: (F[Name] extends 'text' ? string : number) | null | undefined
}

/** How long a change waits for the locks of other transactions, in milliseconds: one, and a part of many of which perhaps one waits. */
const ONE_LOCK = 2_000
const MANY_LOCKS = 50

const wireItems = <F extends Fields>(fields: F, items: readonly Item<F>[], wasDivided: boolean): object => ({
  patience: wasDivided && items.length > 1 ? MANY_LOCKS : ONE_LOCK,
  items: Object.fromEntries(
    Object.entries(fields).map(([name, type]) => {
      const values = items.map((item) => item[name] ?? null)
      return [name, type === 'text' ? values : `{${values.map((value) => value ?? 'NULL')}}`]
    }),
  ),
})

function wireChanges({ owner, changes, wasDivided, isWhole }: Args<'change'>): object {
  const items = changes.map((change) => ({ ...change, if_exists: change.ifExists }))
  return { owner, isWhole, ...wireItems(CHANGE, items, wasDivided) }
}

function wireEnds({ owner, ends, wasDivided }: Args<'end'>): object {
  const items = ends.map(({ name, key, due, id, from, newId, next }) => ({
    ...next,
    ...{ name, key, was: due, id, start: Math.floor(from), new_id: newId, next_id: next?.id },
  }))
  return { owner, ...wireItems(END, items, wasDivided) }
}

/** The arguments of a function of the database. */
export function wireOf<M extends Method>(method: M, args: Args<M>): object {
  if (method === 'change') return wireChanges(args as Args<'change'>)
  return method === 'end' ? wireEnds(args as Args<'end'>) : args
}

/** The answer to changes has only those that have met a row. `n` says which, from 1. */
interface AnswerToChanges {
  /** Whether none is made, because one is refused. */
  isRefused: boolean
  there: (Changed & { n: number })[]
}

function changedOf({ changes }: Args<'change'>, { isRefused, there }: AnswerToChanges): Changed[] {
  const changed = changes.map(({ ifExists }): Changed => {
    return { isDone: ifExists !== 'clear' && !isRefused, removed: null, present: null }
  })
  for (const { n, ...one } of there) changed[n - 1] = one
  return changed
}

/** The answer to a call, from the value that the function has returned. */
export const answerIn = <M extends Method>(method: M, args: Args<M>, value: unknown): Answer<M> =>
  (method === 'change' ? changedOf(args as Args<'change'>, value as AnswerToChanges) : value) as Answer<M>
