/**
 * Compares the logs of one program on Node's timers and on ours. They must be equal to the letter until Node first runs a
 * timer early or out of deadline order. Node does so in two cases. It runs a whole list of equal delays, although timers of
 * other lists may be due before the last of that list. And it reads the clock for the next timer before it runs the work
 * that the last callback queued: if that work refreshes the next timer, the timer still runs, before its new deadline. Nor are
 * they equal from the first error on, because the order of queued functions differs then. Ours must
 * still keep to deadline order and to every deadline, and must end.
 */
import type { Outcome } from '../node/child.js'

/** child.cjs writes such a line as a remark on the next line. */
const DEPARTURE = /\] (OUT OF ORDER|FAULT early, .*)$/
const THROWN = /\] (throw|uncaughtException) /
const BEFORE = /^\d+ before /
/** The place of the `throw` in the output of a dying process: an exception that leaves the addon lacks it. */
const PLACE = /^\S+:\d+\n(.*\n){0,2}\n/
const FAULT = /\] (OUT OF ORDER|FAULT .*)$/

export interface Comparison {
  /** Undefined if there is none. */
  difference: string | undefined
  /** Whether the comparison reached the ends of the programs, or an error. */
  complete: boolean
}

const CONTEXT = 8

export function compare(node: Outcome, ours: Outcome): Comparison {
  const cut = departure(node.lines)
  const complete = cut === undefined || THROWN.test(node.lines[cut - 1] ?? '')
  return { difference: differenceOf(node, ours, cut), complete }
}

/** Counts the lines up to the first error, or before the first timer that Node runs early or out of order. Undefined if there is none. */
function departure(lines: string[]): number | undefined {
  const at = lines.findIndex((line) => DEPARTURE.test(line) || THROWN.test(line))
  if (at === -1) return undefined
  if (THROWN.test(lines[at]!)) return at + 1
  // The async hook of that timer has already run.
  return BEFORE.test(lines[at - 1] ?? '') ? at - 1 : at
}

function differenceOf(node: Outcome, ours: Outcome, cut: number | undefined): string | undefined {
  const fault = ours.lines.find((line) => FAULT.test(line))
  if (fault !== undefined) return `ours: ${fault}`
  const end = cut ?? Math.max(node.lines.length, ours.lines.length)
  for (let i = 0; i < end; i++) {
    if (node.lines[i] !== ours.lines[i]) return excerpt(node.lines, ours.lines, i)
  }
  if (ours.signal !== null || node.signal !== null)
    return `ended by ${ours.signal}, on Node's timers by ${node.signal}`
  if (cut !== undefined) return undefined
  if (node.code !== ours.code) return `exit code ${ours.code}, on Node's timers ${node.code}`
  if (node.stderr.replace(PLACE, '') !== ours.stderr.replace(PLACE, ''))
    return `stderr:\n${ours.stderr}\non Node's timers:\n${node.stderr}`
  return undefined
}

/** Shows the lines before the first difference, and the next lines of both sides. */
function excerpt(node: string[], ours: string[], at: number): string {
  const both = node.slice(Math.max(0, at - CONTEXT), at).map((line) => `    ${line}`)
  const side = (mark: string, lines: string[]): string[] => {
    const rest = lines.slice(at, at + CONTEXT).map((line) => `  ${mark} ${line}`)
    return rest.length === 0 ? [`  ${mark} (the end)`] : rest
  }
  const title = `line ${at + 1} (- Node's timers, + ours):`
  return [title, ...both, ...side('-', node), ...side('+', ours)].join('\n')
}
