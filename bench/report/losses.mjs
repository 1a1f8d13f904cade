/** The numbers of operations in a turn, or in a task of a page, at which an operation costs more than natively. */
import { ENGINES, TASKS } from '../parts/browser.mjs'
import { SINGLE, SIZES, works } from '../parts/turns.mjs'
import { formatCount, formatShort } from './format.mjs'
import { CLEAR, medianOf, readHeadline } from './read.mjs'
import { idsAt, idsIn, idsOf } from './tables.mjs'

/** Each operation in Node and in each engine, with the medians of native timers and of ours, and their ratio. */
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
        return { place, key, size, from, to, ratio: to / from }
      }),
    ),
  )
}

const dearerOf = (read) => casesOf(read).filter(({ ratio }) => ratio > CLEAR)

const worstOf = (some) =>
  some.length === 0 ? [] : [some.reduce((worst, one) => (one.ratio > worst.ratio ? one : worst))]

/** The sentence of README: the greatest ratio of an operation that is alone in its turn, in Node and in pages; empty if none is dearer. */
export function formatSingleLosses(read) {
  const single = dearerOf(read).filter(({ size, key }) => size === SINGLE && key !== 'touch')
  const isInNode = ({ place }) => place === 'Node'
  const worst = [single.filter(isInNode), single.filter((one) => !isInNode(one))].flatMap(worstOf)
  if (worst.length === 0) return ''
  const list = worst.map(({ place, key, from, to }) => {
    const what = key === 'refresh' ? 'refreshing' : 'setting and clearing'
    const [ours, native] = [to, from].map((value) => formatCount(Math.round(value)))
    return `${what} takes ${ours} ns in ${place} (natively ${native} ns)`
  })
  return ` A single operation in a turn or task costs more: ${list.join(', ')}.`
}

const listOf = (words) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** A line for Node and for each engine where an operation is dearer. */
export function formatLosses(read) {
  const dearer = dearerOf(read)
  const lines = ['Node', ...Object.values(ENGINES)].flatMap((place) => {
    const found = Object.entries(works).flatMap(([key, label]) => {
      const some = dearer.filter((one) => one.place === place && one.key === key)
      if (some.length === 0) return []
      const sizes = listOf(some.map(({ size }) => formatCount(size)))
      return [`${label} at ${sizes} (up to ${formatShort(worstOf(some)[0].ratio, 2)} times)`]
    })
    return found.length === 0 ? [] : [`- ${place}: ${found.join('; ')}.`]
  })
  return lines.length === 0
    ? 'Operations cost no more than natively, however few share a turn or a task.'
    : `With few operations in a turn or task, these cost more than natively:\n\n${lines.join('\n')}`
}
