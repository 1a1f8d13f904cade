/**
 * The cliffs as text.
 *
 * @import { Summary } from '../runner/statistics.mjs'
 * @import { Cliff, Operation } from './judge.mjs'
 * @import { World } from './worlds.mjs'
 */

import { formatColumns, formatCount } from '../report/format.mjs'
import { isShared } from './judge.mjs'

/** @type {Partial<Record<Operation, string>>} Names of the operations on numbers. */
const ofNumbers = { set: 'schedule', clear: 'cancel', refresh: 'reschedule' }

/**
 * @param {Operation} operation
 * @param {string} contender
 */
export const nameOf = (operation, contender) =>
  contender.endsWith('numbers') ? (ofNumbers[operation] ?? operation) : operation

/** @param {Summary | undefined} figure */
function formatFigure(figure) {
  if (figure === undefined) return '-'
  const [median, min, max] = [figure.median, figure.min, figure.max].map((value) => value.toFixed(0))
  return `${median} (${min} - ${max})`
}

/** @param {World[keyof World]} value */
export const formatValue = (value) => (typeof value === 'number' ? formatCount(value) : String(value))

/** @param {number | undefined} ratio */
const formatRatio = (ratio) => (ratio === undefined ? '-' : `${ratio.toFixed(1)}x`)

const worldColumns = ['delay', 'tick', 'pending', 'a turn', 'order', 'delays', 'arg', 'ref']

/** @param {World} world */
const worldCells = ({ delay, tick, pending, turn, order, delays, argument, ref }) => [
  ...[delay, tick, pending, turn, order, delays].map(formatValue),
  argument ? 'yes' : 'no',
  ref ? 'yes' : 'no',
]

/** @param {Cliff[]} cliffs */
const overNative = (cliffs) =>
  formatColumns([
    ['contender', 'operation', ...worldColumns, 'ours, ns', 'native, ns', 'ratio', 'least of all passes'],
    ...cliffs.map(({ contender, operation, world, own, other, ratio, ratios }) => [
      ...[contender, nameOf(operation, contender), ...worldCells(world)],
      ...[
        formatFigure(own),
        formatFigure(other),
        `${ratio.toFixed(2)}x`,
        `${Math.min(...ratios).toFixed(2)}x`,
      ],
    ]),
  ])

/** @param {Cliff[]} cliffs */
const overNeighbours = (cliffs) =>
  formatColumns([
    [
      ...['contender', 'operation', ...worldColumns, 'ours, ns', 'axis', 'neighbour', 'its, ns'],
      ...['ratio', 'least of all passes', 'native, ns', "native's step"],
    ],
    ...cliffs.map((cliff) => [
      ...[cliff.contender, nameOf(cliff.operation, cliff.contender), ...worldCells(cliff.world)],
      ...[formatFigure(cliff.own), String(cliff.axis)],
      cliff.axis === undefined || cliff.neighbour === undefined
        ? '-'
        : formatValue(cliff.neighbour[cliff.axis]),
      ...[formatFigure(cliff.other), formatRatio(cliff.ratio), formatRatio(Math.min(...cliff.ratios))],
      ...[formatFigure(cliff.native), formatRatio(cliff.nativeRatio)],
    ]),
  ])

/**
 * @param {string} heading
 * @param {Cliff[]} cliffs
 * @param {(cliffs: Cliff[]) => string} format
 */
const section = (heading, cliffs, format) => [
  `\n${heading}: ${cliffs.length}`,
  ...(cliffs.length === 0 ? [] : [format([...cliffs].sort((a, b) => b.ratio - a.ratio))]),
]

/**
 * @param {Cliff[]} cliffs
 * @param {Cliff['kind']} kind
 */
const ofKind = (cliffs, kind) => cliffs.filter((one) => one.kind === kind)

/** @param {{ label: string, median: number }} turn */
const formatTurn = ({ label, median }) => `${label} ${formatCount(Math.round(median))} ns`

/**
 * @param {object} result
 * @param {Cliff[]} result.cliffs
 * @param {Cliff[]} result.unrepeated
 * @param {Record<string, number>} result.counts
 * @param {{ label: string, median: number }[]} result.turns  Turns of the event loop without an operation.
 * @returns {string}
 */
export function formatCliffs({ cliffs, unrepeated: open, counts, turns }) {
  const besideNative = ofKind(cliffs, 'native')
  const steep = ofKind(cliffs, 'neighbour')
  const { worlds, cells, skipped, dropped, unrepeated, minutes } = counts
  return [
    ...section('Cells that cost more than native', besideNative, overNative),
    ...section(
      "Cells that cost over 3 times their neighbour, and native's do not",
      steep.filter((one) => !isShared(one)),
      overNeighbours,
    ),
    ...section(
      "Cells that cost over 3 times their neighbour, as native's do",
      steep.filter(isShared),
      overNeighbours,
    ),
    ...(open.length === 0
      ? []
      : [
          '\nNot repeated enough, for lack of time:',
          ...section('Cells that cost more than native', ofKind(open, 'native'), overNative),
          ...section(
            'Cells that cost over 3 times their neighbour',
            ofKind(open, 'neighbour'),
            overNeighbours,
          ),
        ]),
    `\nA turn of the event loop without an operation: ${turns.map(formatTurn).join(', ')}.`,
    `${formatCount(cells)} cells in ${formatCount(worlds)} worlds, in ${minutes.toFixed(1)} minutes. ` +
      `${dropped} suspicions did not repeat and are dropped, ${unrepeated} could not be repeated for lack of time; ` +
      `${skipped} worlds were not measured for lack of time.`,
  ].join('\n')
}
