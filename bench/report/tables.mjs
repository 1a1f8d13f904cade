/** The tables of docs/benchmarks.md and docs/contributing/core.md. */

import { ENGINES } from '../parts/browser.mjs'
import { designs, LOOP } from '../parts/core.mjs'
import { formatCount, formatMarkdown, formatShort } from './format.mjs'
import { findHeadline, formatShortGain, LINES, medianOf, rangeOf, readHeadline } from './read.mjs'

/** The rows of a part that stand in the columns, if they are not the usual ones. */
const usual = { native: 'native', handles: 'addon-handles', numbers: 'addon-numbers', wasm: 'wasm-handles' }
const ownOf = (kind, more) => ({
  native: `native-${kind}`,
  handles: `addon-${kind}`,
  wasm: `wasm-${kind}`,
  ...more,
})
const members = ownOf('members', { floor: 'field' })
const columns = {
  'set-clear': { ...usual, floor: 'resource' },
  distinct: { ...usual, floor: 'resource' },
  refresh: { ...usual, floor: 'field' },
  'set-fire': { ...usual, floor: 'run' },
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

/** What the table of the parts in Node shows: parts with metrics. */
const inNode = [
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
]

const [, second] = LINES

const show = (value) => (value === undefined ? '' : formatShort(value))
const showGain = (range) => (range === undefined ? '' : formatShortGain(range))

function lineOf(read, part, key, lines) {
  const ids = columns[part] ?? usual
  const results = lines.map((line) => read(part, line))
  const metric = results.find((one) => one !== undefined)?.metrics.find((one) => one.key === key)
  if (metric === undefined) return []
  const cell = (result, kind) => show(medianOf(result, ids[kind], key))
  const hasHandles = results.some((one) => medianOf(one, ids.handles, key) !== undefined)
  const unit = metric.unit === 'ns' ? '' : `, ${metric.unit || 'number'}`
  return [
    [
      `${part}: ${metric.label}${unit}`,
      ...['native', 'handles', 'numbers', 'wasm', 'floor'].map((kind) => cell(results[0], kind)),
      ...(lines.length > 1 ? ['native', 'handles'].map((kind) => cell(results[1], kind)) : []),
      ...(lines.length > 2
        ? [showGain(rangeOf(results[2], ids.native, ids[hasHandles ? 'handles' : 'numbers'], key))]
        : []),
    ],
  ]
}

const rowsOf = (read, lines, [part, ...keys]) => keys.flatMap((key) => lineOf(read, part, key, lines))

/** All parts in Node: all contenders on the first line, two on the second, and the ratio on the third. */
export function formatNode(read, lines = LINES, isShown = (_row) => true) {
  const [first, second, third] = lines
  const header = [
    ...['In ns if no unit is given', `${first}: native`, 'setTimeout', 'schedule', 'wasm', 'no timer'],
    ...(second === undefined ? [] : [`${second}: native`, 'setTimeout']),
    ...(third === undefined ? [] : [`on ${third}`]),
  ]
  const rows = inNode.flatMap((group) => rowsOf(read, lines, group).filter(isShown))
  return formatMarkdown([header, ...rows])
}

/** Whether the last cell of a row, the ratio on the third line, is its only figure at most. */
const hasRatioAlone = ([, ...cells]) => cells.slice(0, -1).every((cell) => cell === '')

/** The same, but parts that were measured on the third line alone are listed after the table. */
export function formatNodeInShort(read) {
  const others = inNode.flatMap((group) => rowsOf(read, LINES, group)).filter(hasRatioAlone)
  const list = others.flatMap((row) =>
    row.at(-1) === '' ? [] : [`${row[0].replace(':', ',')}: ${row.at(-1)}`],
  )
  const table = formatNode(read, LINES, (row) => !hasRatioAlone(row))
  return list.length === 0 ? table : `${table}\n\nMeasured only on Node ${LINES[2]}: ${list.join('; ')}.`
}

const besideRivals = [
  ['set-clear', 'atOnce'],
  ['set-clear', 'later'],
  ['refresh', 'refresh'],
  ['set-fire', 'cpu'],
  ['hold', 'resident'],
]

export function formatRivals(read) {
  const results = besideRivals.map(([part]) => readHeadline(read, part))
  const header = besideRivals.map(([part, key], i) => {
    const { label, unit } = results[i].metrics.find((one) => one.key === key)
    return `${part}: ${label}, ${unit}`
  })
  const isShown = ({ id, group }) => group === 'rival' || ['native', 'addon-handles'].includes(id)
  const rows = new Map(
    results.flatMap(({ rows }) => rows.filter(isShown)).map(({ id, label }) => [id, label]),
  )
  const lines = [...rows].map(([id, label]) => [
    label,
    ...besideRivals.map(([, key], i) => show(medianOf(results[i], id, key))),
  ])
  return formatMarkdown([['', ...header], ...lines])
}

export function formatPackages(read) {
  const result = readHeadline(read, 'packages')
  const later = read('packages', second)
  const natives = result.rows.filter(({ group }) => group === 'native')
  const lines = natives.map(({ id, label }) => {
    const program = id.replace(/-native$/, '')
    const own = result.rows.find((row) => row.id === `${program}-own`)
    const gain = (from, way) => showGain(rangeOf(from, id, `${program}-${way}`, 'cpu'))
    return [
      ...[label.replace(/: native$/, ''), show(medianOf(result, id, 'cpu')), gain(result, 'addon')],
      `${gain(result, 'own')} (${own.label.split(': ')[1]})`,
      ...(later === undefined ? [] : [gain(later, 'addon'), gain(later, 'own')]),
    ]
  })
  const line = Number.parseInt(result.node.slice(1), 10)
  const ofLater = later === undefined ? [] : [`${second}: register`, 'own API']
  const header = ['', `${line}: native, ms`, 'register', 'own API', ...ofLater]
  return formatMarkdown([header, ...lines])
}

const inPages = [
  ['browser-set-clear', 'atOnce'],
  ['browser-set-clear', 'later'],
  ['browser-refresh', 'refresh'],
  ['browser-hold', 'bytes'],
  ['browser-fire', 'thread'],
  ['browser-fire', 'middle'],
  ['browser-burst', 'longest'],
  ['browser-burst', 'total'],
  ['browser-hidden', 'middle'],
]

export function formatPages(read) {
  const lines = inPages.flatMap(([part, key]) => {
    const result = findHeadline(read, part)
    if (result === undefined) return []
    const { label, unit } = result.metrics.find((one) => one.key === key)
    const [second, name] = part === 'browser-hidden' ? ['worker', " (driver 'worker')"] : ['numbers', '']
    return Object.entries(ENGINES).map(([engine, page], i) => {
      const id = (kind) => `${engine}-window-${kind}`
      const [native, handles, third] = ['native', 'handles', second].map((kind) =>
        show(medianOf(result, id(kind), key)),
      )
      const gain = rangeOf(result, id('native'), id(second === 'worker' ? 'worker' : 'handles'), key)
      const what = i === 0 ? `${part}: ${label}, ${unit}; ${page}` : page
      return [what, native, handles, third + name, showGain(gain)]
    })
  })
  return formatMarkdown([['', 'native', 'setTimeout', 'schedule', ''], ...lines])
}

const MOST = 1_000_000

/** The core beside other designs, at a million timers, or at the most that a row has. The report shows all delays. */
export function formatCore(read) {
  const result = readHeadline(read, 'core')
  const names = Object.keys(designs).filter((name) => result.rows.some(({ values }) => name in values))
  const rows = result.rows.map((row) => {
    const [part, delays, rest] = row.id.split('/')
    const [count, counter] = rest.split(' ')
    return { ...row, name: `${part}, ${delays}`, counter, count: Number(count) }
  })
  const shown = rows.filter(
    ({ name, count, counter }) =>
      count <= MOST &&
      !name.includes('bimodal') &&
      counter !== 'wakes' &&
      !rows.some(
        (one) => one.name === name && one.counter === counter && one.count <= MOST && one.count > count,
      ),
  )
  const lines = shown.map(({ name, counter, count, values }) => [
    `${name}${counter ? `, ${counter}` : ''}${count === MOST ? '' : `, ${formatCount(count)}`}`,
    ...names.map((design) => {
      if (values[design] === undefined) return ''
      return values[design] === null ? 'limit' : formatShort(values[design].median)
    }),
  ])
  return formatMarkdown([['', ...names.map((name) => (name === LOOP ? `(${name})` : name))], ...lines])
}
