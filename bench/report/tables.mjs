/** The tables of docs/benchmarks.md and docs/contributing/core.md. */
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
  ['groups', 'touch', 'atOnce', 'later', 'expire'],
  ['groups-of-10', 'touch', 'atOnce'],
  ['timeout-map', 'get', 'setLarge', 'live'],
  ['signals', 'signal'],
  ['with-timeout', 'wait'],
  ['promises', 'plain'],
  ['hold', 'resident', 'heap'],
  ['ten-million', 'whole'],
  ['groups', 'resident'],
  ['garbage', 'pause'],
  ['burst', 'block', 'total'],
  ['early', 'early'],
  ['precision', 'late50', 'late99'],
  ['growth', 'call'],
  ['idle', 'wakeUps'],
  ['service', 'cpu'],
  ['service-1000', 'cpu'],
  ['service-10000', 'cpu'],
  ['few', 'cpu'],
  ['import', 'imported'],
  ['register', 'cpu', 'memory'],
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
    ['browser-set-clear', 'atOnce', 'later'],
    ['browser-refresh', 'refresh'],
    ['browser-hold', 'bytes'],
    ['browser-fire', 'thread', 'middle'],
    ['browser-burst', 'longest', 'total'],
    ['browser-hidden', 'middle'],
  ]),
]

const show = (value) => (value === undefined ? '' : formatShort(value))

function titleOf(result, key, size) {
  const { label, unit } = metricOf(result, key)
  const some = size === undefined ? '' : `, ${formatCount(size)} in a task`
  return `${result.part}: ${label}${some}, ${unit || 'number'}`
}

/** All contenders on the first line of Node, two on the second, and the ratio on the third. */
function cellsOf(read, part, key, lines) {
  const results = lines.map((line) => read(part, line))
  const measured = results.find((one) => one !== undefined)
  if (measured === undefined) return []
  const ids = idsOf(measured)
  const cells = (result, ...shown) => shown.map((kind) => show(medianOf(result, ids[kind], key)))
  const hasHandles = results.some((one) => medianOf(one, ids.handles, key) !== undefined)
  return [
    [
      titleOf(measured, key).replace(/, ns$/, ''),
      ...cells(results[0], 'native', 'handles', 'numbers', 'wasm', 'floor'),
      ...cells(results[1], 'native', 'handles'),
      gainOf(results[2], ids.native, hasHandles ? ids.handles : ids.numbers, key),
    ],
  ]
}

/** The columns of a table of one, two and three lines of Node. */
const WIDTHS = [6, 8, 9]

/** All parts in Node. */
export function tableOfNode(read, lines) {
  const [first, second, third] = lines
  const header = [
    ...['In ns if no unit is given', `${first}: native`, 'setTimeout', 'schedule', 'wasm', 'no timer'],
    ...[`${second}: native`, 'setTimeout', `on ${third}`],
  ]
  const rows = inNode.flatMap(([part, key]) => cellsOf(read, part, key, lines))
  return [header, ...rows].map((cells) => cells.slice(0, WIDTHS[lines.length - 1]))
}

/** The same, but parts that were measured on the third line alone are listed after the table. */
export function formatNode(read) {
  const rows = tableOfNode(read, LINES)
  // The last cell is the ratio on the third line.
  const hasRatioAlone = ([, ...cells]) => cells.slice(0, -1).every((cell) => cell === '')
  const list = rows
    .filter((row) => hasRatioAlone(row) && row.at(-1) !== '')
    .map((row) => `${row[0].replace(':', ',')}: ${row.at(-1)}`)
  const table = formatMarkdown(rows.filter((row) => !hasRatioAlone(row)))
  return list.length === 0 ? table : `${table}\n\nMeasured only on Node ${LINES[2]}: ${list.join('; ')}.`
}

/** The part "turns": each work with each number of operations in a turn. */
export function tableOfTurns(read) {
  const result = readHeadline(read, 'turns')
  const second = LINES[1]
  const later = read('turns', second)
  const lineFor = (what, key, size) => {
    const { native, handles, numbers, wasm } = idsAt(idsOf(result), size)
    const gain = (from) => (size === 0 ? '' : gainOf(from, native, handles, key))
    const figures = (from, ...ids) => ids.map((id) => show(medianOf(from, id, key)))
    return [
      ...[what, ...figures(result, native, handles), gain(result)],
      ...[...figures(result, numbers, wasm), ...figures(later, native, handles)],
      ...(later === undefined ? [] : [gain(later)]),
    ]
  }
  const lines = Object.entries(works).flatMap(([key, label]) =>
    SIZES.map((size) => lineFor(`${label}: ${formatCount(size)}`, key, size)),
  )
  const ofFirst = [
    'ns, by operations in a turn',
    `${lineOf(result)}: native`,
    'setTimeout',
    '',
    'schedule',
    'wasm',
  ]
  const header = [...ofFirst, `${second}: native`, 'setTimeout', '']
  const end = later === undefined ? ofFirst.length : header.length
  return [header, ...lines, lineFor('no operation', 'setClear', 0)].map((cells) => cells.slice(0, end))
}

export function tableOfRivals(read) {
  const chosen = besideRivals.map(([part, key]) => [readHeadline(read, part), key])
  const isShown = ({ id, group }) => group === 'rival' || ['native', 'addon-handles'].includes(id)
  const shown = chosen.flatMap(([{ rows }]) => rows.filter(isShown))
  const labels = new Map(shown.map(({ id, label }) => [id, label]))
  const figures = (id) => chosen.map(([result, key]) => show(medianOf(result, id, key)))
  return [
    ['', ...chosen.map(([result, key]) => titleOf(result, key))],
    ...[...labels].map(([id, label]) => [label, ...figures(id)]),
  ]
}

export function tableOfPackages(read) {
  const [, second] = LINES
  const result = readHeadline(read, 'packages')
  const later = read('packages', second)
  const natives = result.rows.filter(({ group }) => group === 'native')
  const lines = natives.map(({ id, label }) => {
    const program = id.replace(/-native$/, '')
    const own = result.rows.find((row) => row.id === `${program}-own`)
    const gain = (from, way) => gainOf(from, id, `${program}-${way}`, 'cpu')
    return [
      ...[label.replace(/: native$/, ''), show(medianOf(result, id, 'cpu')), gain(result, 'addon')],
      ...[`${gain(result, 'own')} (${own.label.split(': ')[1]})`, gain(later, 'addon'), gain(later, 'own')],
    ]
  })
  const ofFirst = ['', `${lineOf(result)}: native, ms`, 'register', 'own API']
  const header = [...ofFirst, `${second}: register`, 'own API']
  const end = later === undefined ? ofFirst.length : header.length
  return [header, ...lines].map((cells) => cells.slice(0, end))
}

export function tableOfPages(read) {
  const lines = inPages.flatMap(([part, key, size]) => {
    const result = findHeadline(read, part)
    if (result === undefined) return []
    const isHidden = part === 'browser-hidden'
    return Object.entries(ENGINES).map(([engine, page], i) => {
      const ids = size === undefined ? idsIn(engine) : idsAt(idsIn(engine), size)
      const figure = (kind) => show(medianOf(result, ids[kind], key))
      const third = isHidden ? `${figure('worker')} (driver 'worker')` : figure('numbers')
      const gain = gainOf(result, ids.native, isHidden ? ids.worker : ids.handles, key)
      const what = i === 0 ? `${titleOf(result, key, size)}; ${page}` : page
      return [what, figure('native'), figure('handles'), third, gain]
    })
  })
  return [['', 'native', 'setTimeout', 'schedule', ''], ...lines]
}

const MOST = 1_000_000

/** The core beside other designs, at a million timers, or at the most that a row has. The report shows all delays. */
export function tableOfCore(read) {
  const { rows } = readHeadline(read, 'core')
  const names = Object.keys(designs).filter((name) => rows.some(({ values }) => name in values))
  const shown = rows.flatMap(({ id, values }) => {
    const [part, delays, size] = id.split('/')
    const [count, ...counter] = size.split(' ')
    const isShown = Number(count) <= MOST && delays !== 'bimodal' && counter[0] !== 'wakes'
    return isShown ? [{ what: [part, delays, ...counter].join(', '), count: Number(count), values }] : []
  })
  const lines = groupBy(shown, ({ what }) => what).map(([what, some]) => {
    const { count, values } = some.reduce((most, one) => (one.count > most.count ? one : most))
    const figures = names.map((name) => (values[name] === null ? 'limit' : show(values[name]?.median)))
    return [count === MOST ? what : `${what}, ${formatCount(count)}`, ...figures]
  })
  return [['', ...names.map((name) => (name === LOOP ? `(${name})` : name))], ...lines]
}
