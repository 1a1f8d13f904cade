/** The tables of docs/benchmarks.md and docs/contributing/benchmarking.md. */
import { ENGINES, TASKS } from '../parts/browser.mjs'
import { designs, LOOP } from '../parts/core.mjs'
import { SIZES, works } from '../parts/turns.mjs'
import { formatCount, formatMarkdown, formatShort, metricOf } from './format.mjs'
import { findHeadline, gainOf, groupBy, LINES, lineOf, medianOf, readHeadline } from './read.mjs'

/** The rows of a part that stand in the columns, if they are not the usual ones. */
const usual = { native: 'native', handles: 'addon-handles', numbers: 'addon-numbers', wasm: 'wasm-handles' }
const ownOf = (kind) => ({ native: `native-${kind}`, handles: `addon-${kind}`, wasm: `wasm-${kind}` })
const members = { ...ownOf('members'), floor: 'field' }
const columns = {
  few: { ...usual, floor: 'empty' },
  idle: { ...usual, floor: 'empty' },
  groups: members,
  'groups-of-10': members,
  'timeout-map': { native: 'map-native', handles: 'map-addon', wasm: 'map-wasm' },
  signals: ownOf('signal'),
  'with-timeout': ownOf('wait'),
  import: { native: 'empty', handles: 'either', wasm: 'wasm' },
  register: { native: 'native', handles: 'addon', wasm: 'wasm' },
}

/** The rows of a result in Node. `floor` is the work without a timer. */
export const idsOf = ({ part, floors }) => ({ floor: floors?.[0], ...(columns[part] ?? usual) })

/** The rows of the parts in pages. */
export function idsIn(engine) {
  const kinds = ['native', 'handles', 'numbers', 'worker']
  return Object.fromEntries(kinds.map((kind) => [kind, `${engine}-window-${kind}`]))
}

/** The rows of so many operations in a turn or task. */
export const idsAt = (ids, size) =>
  Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, `${id}-${size}`]))

/** What a table shows: pairs of a part and one of its metrics. */
const pairsOf = (lists) => lists.flatMap(([part, ...keys]) => keys.map((key) => [part, key]))

const inNode = pairsOf([
  ['set-clear', 'atOnce', 'later'],
  ['distinct', 'atOnce', 'replaced'],
  ['scale', 'at100', 'at1000000'],
  ['refresh', 'refresh'],
  ['set-fire', 'cpu'],
  ['groups', 'touch', 'atOnce'],
  ['groups-of-10', 'touch', 'atOnce'],
  ['timeout-map', 'get', 'setLarge', 'live'],
  ['signals', 'signal'],
  ['with-timeout', 'wait'],
  ['promises', 'plain'],
  ['hold', 'resident'],
  ['ten-million', 'whole'],
  ['groups', 'resident'],
  ['garbage', 'pause'],
  ['burst', 'block', 'total'],
  ['early', 'early'],
  ['precision', 'late50', 'late99'],
  ['growth', 'call'],
  ['idle', 'wakeUps'],
  ['service', 'cpu'],
  ['few', 'cpu'],
  ['import', 'imported'],
  ['register', 'cpu'],
])

const besideRivals = pairsOf([
  ['set-clear', 'atOnce', 'later'],
  ['refresh', 'refresh'],
  ['set-fire', 'cpu'],
  ['hold', 'resident'],
])

const inPages = [
  ...['setClear', 'refresh'].flatMap((key) => [...TASKS.keys()].map((size) => ['browser-turns', key, size])),
  ...pairsOf([
    ['browser-refresh', 'refresh'],
    ['browser-hold', 'bytes'],
    ['browser-fire', 'thread', 'middle'],
    ['browser-burst', 'longest', 'total'],
    ['browser-hidden', 'middle'],
  ]),
]

const show = (value) => (value === undefined ? '' : formatShort(value))
const showMedian = (result, id, key) => show(medianOf(result, id, key))

function titleOf(result, key, size) {
  const { label, unit } = metricOf(result, key)
  const some = size === undefined ? '' : `, ${formatCount(size)} in a task`
  return `${result.part}: ${label}${some}, ${unit || 'number'}`
}

/** All contenders on the first line of Node, and on each line how many times less ours is than native. */
function cellsOf(read, part, key, lines) {
  const results = lines.map((line) => read(part, line))
  const measured = results.find((one) => one !== undefined)
  if (measured === undefined) return []
  const ids = idsOf(measured)
  const show = (kind) => showMedian(results[0], ids[kind], key)
  const hasHandles = results.some((one) => medianOf(one, ids.handles, key) !== undefined)
  const gain = (result) => gainOf(result, ids.native, hasHandles ? ids.handles : ids.numbers, key)
  const title = titleOf(measured, key).replace(/, ns$/, '')
  return [[title, ...['native', 'handles', 'numbers', 'wasm', 'floor'].map(show), ...results.map(gain)]]
}

/** All parts in Node. */
export function tableOfNode(read, lines) {
  const gains = lines.map((line) => `on ${line}`)
  const header = ['ns', `${lines[0]}: native`, 'setTimeout', 'schedule', 'wasm', 'no timer', ...gains]
  return [header, ...inNode.flatMap(([part, key]) => cellsOf(read, part, key, lines))]
}

/** The same without the third line. Parts that were measured on that line alone are listed after the table. */
export function formatNode(read) {
  const rows = tableOfNode(read, LINES)
  const isOfThirdAlone = ([, ...cells]) => cells.slice(0, -1).every((cell) => cell === '')
  const list = rows
    .filter((row) => isOfThirdAlone(row) && row.at(-1) !== '')
    .map((row) => `${row[0].replace(':', ',')}: ${row.at(-1)}`)
  const table = rows.filter((row) => !isOfThirdAlone(row)).map((cells) => cells.slice(0, -1))
  const end = list.length === 0 ? '' : `\n\nOnly on Node ${LINES[2]}: ${list.join('; ')}.`
  return `${formatMarkdown(table)}${end}`
}

/** The part "turns": each work with each number of operations in a turn. */
export function tableOfTurns(read) {
  const [result, later] = [readHeadline(read, 'turns'), read('turns', LINES[1])]
  const rowsOf = ([key, label]) =>
    SIZES.map((size, i) => {
      const { native, handles, numbers, wasm } = idsAt(idsOf(result), size)
      const figures = [native, handles, numbers, wasm].map((id) => showMedian(result, id, key))
      const gains = [result, later].map((from) => gainOf(from, native, handles, key))
      return [i === 0 ? `${label}: ${formatCount(size)}` : formatCount(size), ...figures, ...gains]
    })
  const gains = [lineOf(result), LINES[1]].map((line) => `on ${line}`)
  const header = ['ns', `${lineOf(result)}: native`, 'setTimeout', 'schedule', 'wasm', ...gains]
  const rows = [header, ...Object.entries(works).flatMap(rowsOf)]
  return later === undefined ? rows.map((cells) => cells.slice(0, -1)) : rows
}

export function tableOfRivals(read) {
  const chosen = besideRivals.map(([part, key]) => [readHeadline(read, part), key])
  const isShown = ({ id, group }) => group === 'rival' || ['native', 'addon-handles'].includes(id)
  const shown = chosen.flatMap(([{ rows }]) => rows.filter(isShown))
  const labels = new Map(shown.map(({ id, label }) => [id, label]))
  const figures = (id) => chosen.map(([result, key]) => showMedian(result, id, key))
  return [
    ['', ...chosen.map(([result, key]) => titleOf(result, key))],
    ...[...labels].map(([id, label]) => [label, ...figures(id)]),
  ]
}

export function tableOfPackages(read) {
  const result = readHeadline(read, 'packages')
  const natives = result.rows.filter(({ group }) => group === 'native')
  const rows = natives.map(({ id, label }) => {
    const program = id.replace(/-native$/, '')
    const own = result.rows.find((row) => row.id === `${program}-own`)
    const gain = (way) => gainOf(result, id, `${program}-${way}`, 'cpu')
    const name = label.replace(/: native$/, '')
    return [
      name,
      showMedian(result, id, 'cpu'),
      gain('addon'),
      `${gain('own')} (${own.label.split(': ')[1]})`,
    ]
  })
  return [['', `${lineOf(result)}: native, ms`, 'register', 'own API'], ...rows]
}

/** Each work in each engine: native timers, ours, and how many times less. */
export function tableOfPages(read) {
  const rows = inPages.flatMap(([part, key, size]) => {
    const result = findHeadline(read, part)
    if (result === undefined) return []
    const cells = Object.keys(ENGINES).map((engine) => {
      const ids = size === undefined ? idsIn(engine) : idsAt(idsIn(engine), size)
      const pair = [ids.native, part === 'browser-hidden' ? ids.worker : ids.handles]
      return `${pair.map((id) => showMedian(result, id, key)).join(' → ')}: ${gainOf(result, ...pair, key)}`
    })
    return [[titleOf(result, key, size), ...cells]]
  })
  return [['native → setTimeout', ...Object.values(ENGINES)], ...rows]
}

const MOST = 1_000_000

/**
 * The core beside its rivals, at a million timers, or at the most that a row has, with uniform delays if it has them.
 * The report shows all designs and delays.
 */
export function tableOfCore(read) {
  const { rows } = readHeadline(read, 'core')
  const isRival = (name) =>
    name !== LOOP && !designs[name].isLate && rows.some(({ values }) => name in values)
  const names = Object.keys(designs).filter(isRival)
  const all = rows.map(({ id, values }) => {
    const [part, delays, size] = id.split('/')
    const [count, ...counter] = size.split(' ')
    return {
      part,
      delays,
      count: Number(count),
      counter,
      values,
      what: [part, delays, ...counter].join(', '),
    }
  })
  const isUniform = (part) => all.some((one) => one.part === part && one.delays === 'uniform')
  const shown = all.filter(
    ({ part, delays, count, counter: [kind] }) =>
      count <= MOST &&
      kind !== 'wakes' &&
      (delays === 'uniform' || !isUniform(part) || delays === 'one-slot'),
  )
  const lines = groupBy(shown, ({ what }) => what).map(([what, some]) => {
    const { count, values } = some.reduce((most, one) => (one.count > most.count ? one : most))
    const figures = names.map((name) => (values[name] === null ? 'limit' : show(values[name]?.median)))
    return [count === MOST ? what : `${what}, ${formatCount(count)}`, ...figures]
  })
  return [['', ...names], ...lines]
}
