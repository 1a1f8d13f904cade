/** The numbers of operations in a turn, or in a task of a page, at which an operation costs more than natively. */
import { ENGINES, TASKS } from '../parts/browser.mjs'
import { SINGLE, SIZES, works } from '../parts/turns.mjs'
import { formatCount, formatShort } from './format.mjs'
import { CLEAR, medianOf, rangeOf, readHeadline } from './read.mjs'
import { idsAt, idsIn, idsOf } from './tables.mjs'

/** Each operation in Node and in each engine: the medians of native timers and of ours, their ratio, and the greatest ratio of the runs. */
function casesOf(read) {
  const [inNode, inPages] = ['turns', 'browser-turns'].map((part) => readHeadline(read, part))
  const places = [
    ['Node', inNode, idsOf(inNode), SIZES],
    ...Object.entries(ENGINES).map(([engine, name]) => [name, inPages, idsIn(engine), [...TASKS.keys()]]),
  ]
  return places.flatMap(([place, result, ids, sizes]) =>
    result.metrics.flatMap(({ key }) =>
      sizes.map((size) => {
        const { native, handles } = idsAt(ids, size)
        const [from, to] = [native, handles].map((id) => medianOf(result, id, key))
        const ratio = to / from
        return {
          place,
          key,
          size,
          from,
          to,
          ratio,
          worst: rangeOf(result, handles, native, key)?.most ?? ratio,
        }
      }),
    ),
  )
}

/** @param by 'ratio' or 'worst' */
const worstOf = (some, by) => some.toSorted((a, b) => b[by] - a[by])[0]

/** The sentences of README: the dearest operation that is alone in its turn in Node, or in its task in a page; empty if none is dearer. */
export function formatSingleLosses(read) {
  const single = casesOf(read).filter(
    ({ size, key, ratio }) => size === SINGLE && key !== 'touch' && ratio > CLEAR,
  )
  const isInNode = ({ place }) => place === 'Node'
  const sentenceOf = (where, some) => {
    if (some.length === 0) return ''
    const { place, key, from, to } = worstOf(some, 'ratio')
    const what = key === 'refresh' ? 'refreshing' : 'setting and clearing'
    const [ours, native] = [to, from].map((value) => formatCount(Math.round(value)))
    return ` A single operation in a ${where} costs more: ${what} takes ${ours} ns in ${place} (natively ${native} ns).`
  }
  const inPages = single.filter((one) => !isInNode(one))
  return sentenceOf('turn', single.filter(isInNode)) + sentenceOf('task of a page', inPages)
}

const listOf = (words) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** A line for Node and for each engine where an operation is dearer in one of the runs. */
export function formatLosses(read) {
  const dearer = casesOf(read).filter(({ worst }) => worst > CLEAR)
  const lines = ['Node', ...Object.values(ENGINES)].flatMap((place) => {
    const found = Object.entries(works).flatMap(([key, label]) => {
      const some = dearer.filter((one) => one.place === place && one.key === key)
      if (some.length === 0) return []
      const sizes = listOf(some.map(({ size }) => formatCount(size)))
      return [`${label} at ${sizes} (up to ${formatShort(worstOf(some, 'worst').worst, 2)} times)`]
    })
    return found.length === 0 ? [] : [`- ${place}: ${found.join('; ')}.`]
  })
  return lines.length === 0
    ? 'Operations cost no more than natively, however few share a turn or a task.'
    : `With few operations in a turn or task, these cost more than natively, at least in one of the recorded runs:\n\n${lines.join('\n')}`
}
