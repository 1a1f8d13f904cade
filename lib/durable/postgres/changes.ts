/**
 * Changes of one transaction, as one call of the function `change`. It makes changes in rounds, in which no key comes twice, because it
 * makes those of a round together.
 *
 * Many changes of one key need two rounds at most, because other connections see only the last row. The first round asks for the row that
 * is there; it is left out if the first change does not ask (`ifExists`). The last round makes the change that decides the last row. The
 * answers of the other changes follow from these two.
 */
import type { Change, Changed, Row, SetRow } from '../common/store.js'

/** The row that the function of the database has found for a change. The change has removed it or was refused. */
interface There {
  /** Which of the changes, from 1. */
  n: number
  id: number
  isFailed: boolean
  /** The row, if `ifExists` refuses the change. */
  present: Row | null
}

/** What a change meets. */
type Met = { id: number; isFailed: boolean; row?: Row } | undefined

/** The text of an array of numbers or booleans. */
export const arrayOf = (values: readonly (number | boolean | undefined)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join()}}`

const asks = (change: Change): boolean => change.kind === 'set' && change.row.ifExists !== 'replace'

const made = ({ due, name, key, data, rule }: SetRow, id: number): Row => ({
  ...{ due, id, fence: 0, tries: 0 },
  ...{ name, key, data, rule, error: null },
})

/** The changes of one key, if there is more than one. */
class Chain {
  readonly #changes: readonly Change[]
  readonly members: number[]
  /** The first that does not ask. What those after it meet is known. */
  #acts = 0
  /** The one that decides. */
  decides: number | undefined

  constructor(changes: readonly Change[], members: number[]) {
    this.#changes = changes
    this.members = members
    while (this.#acts < members.length && asks(changes[members[this.#acts]!]!)) this.#acts++
    let isEmpty = false
    for (const i of members.slice(this.#acts)) {
      if (asks(changes[i]!) && !isEmpty) continue
      this.decides = i
      isEmpty = changes[i]!.kind === 'clear'
    }
  }

  /** The one that is sent to learn what is there. */
  get first(): number | undefined {
    return this.#acts > 0 ? this.members[0] : undefined
  }

  /** Answers all, when `first` is answered, from what the one that decides has met. */
  answer(answers: Changed[], ids: readonly number[], met: Met): void {
    const rowOf = (i: number): Row => made((this.#changes[i] as { row: SetRow }).row, ids[i]!)
    const [first] = this.members as [number]
    for (const i of this.members.slice(1, this.#acts))
      answers[i] = { isDone: false, present: answers[first]!.present ?? rowOf(first) }
    for (const i of this.members.slice(this.#acts)) {
      const change = this.#changes[i]!
      const removed = met && { removed: met.id }
      if (change.kind === 'clear') {
        answers[i] = { isDone: met !== undefined && !met.isFailed, ...removed }
        met = undefined
      } else if (met?.row !== undefined && asks(change)) answers[i] = { isDone: false, present: met.row }
      else {
        answers[i] = { isDone: true, id: ids[i]!, ...removed }
        met = { id: ids[i]!, isFailed: false, row: rowOf(i) }
      }
    }
  }
}

function chainsOf(changes: readonly Change[]): Chain[] {
  const members = new Map<string, number[]>()
  for (const [i, change] of changes.entries()) {
    const { name, key } = change.kind === 'set' ? change.row : change
    if (key === null) continue
    const text = `${name}\0${key}`
    const others = members.get(text)
    if (others === undefined) members.set(text, [i])
    else others.push(i)
  }
  return [...members.values()].filter(({ length }) => length > 1).map((some) => new Chain(changes, some))
}

/** Makes changes in one transaction, as if one after the other. */
export async function changeIn(
  send: (args: Record<string, unknown>) => Promise<Record<string, unknown>>,
  owner: number,
  changes: readonly Change[],
  patience: number,
): Promise<Changed[]> {
  const rows = changes.map((change): Partial<SetRow> & { name: string; key: string | null } =>
    change.kind === 'set' ? change.row : change,
  )
  const rounds = changes.map(() => 0)
  const isSet = changes.map(({ kind }) => kind === 'set')
  const replaces = changes.map((change) => !asks(change))
  const chains = chainsOf(changes)
  for (const chain of chains) {
    for (const i of chain.members) rounds[i] = -1
    const { first, decides } = chain
    if (first !== undefined) rounds[first] = 0
    if (decides !== undefined) {
      rounds[decides] = first === undefined ? 0 : 1
      replaces[decides] = true
    }
  }
  const { ids, there } = (await send({
    owner,
    patience,
    last: rounds.includes(1) ? 1 : 0,
    round: arrayOf(rounds),
    isSet: arrayOf(isSet.map((is, i) => is && rounds[i]! >= 0)),
    due: arrayOf(rows.map(({ due }) => due)),
    owners: arrayOf(rows.map(({ owner }) => owner)),
    name: rows.map(({ name }) => name),
    key: rows.map(({ key }) => key),
    data: rows.map(({ data }) => data ?? null),
    rule: rows.map(({ rule }) => rule ?? null),
    replaces: arrayOf(replaces),
  })) as unknown as { ids: number[]; there: There[] }
  const changed = isSet.map((is, i): Changed => (is ? { isDone: true, id: ids[i]! } : { isDone: false }))
  const met = new Map<number, There>()
  for (const one of there) {
    const i = one.n - 1
    met.set(i, one)
    if (one.present !== null) changed[i] = { isDone: false, present: one.present }
    else changed[i] = { ...changed[i]!, removed: one.id, isDone: isSet[i]! || !one.isFailed }
  }
  for (const chain of chains) {
    const one = chain.decides === undefined ? undefined : met.get(chain.decides)
    chain.answer(changed, ids, one && { id: one.id, isFailed: one.isFailed })
  }
  return changed
}
