/**
 * What counts as a difference between a program on Node's timers and the same on ours: everything, to the letter, up to
 * where Node runs a timer early, or in another order than that of their deadlines. Node drains a whole list of equal delays, though
 * timers of other lists may be due before its last. And it looks at the clock for the next timer before it runs what the
 * last one has queued: what is refreshed there runs all the same, before its deadline. From there on the two programs are
 * no longer the same; ours is still held to that order, to every deadline, and to an end.
 */
import type { Outcome } from './run.js'

/** With such lines child.cjs remarks on the one that follows. */
const DEPARTURE = /\] (OUT OF ORDER|FAULT early, .*)$/
const BEFORE = /^\d+ before /
const PLACE = /^\S+:\d+\n(.*\n){0,2}\n/
const FAULT = /\] (OUT OF ORDER|FAULT .*)$/

export interface Comparison {
  /** Undefined: there is none. */
  difference: string | undefined
  /** Whether the programs were compared to their ends. */
  complete: boolean
}

const CONTEXT = 8

export function compare(node: Outcome, ours: Outcome): Comparison {
  const cut = departure(node.lines)
  return { difference: differenceOf(node, ours, cut), complete: cut === undefined }
}

/** How many lines come before the first timer that Node runs early or out of order; undefined: it runs none so. */
function departure(lines: string[]): number | undefined {
  const remark = lines.findIndex((line) => DEPARTURE.test(line))
  if (remark === -1) return undefined
  // Its async hook has been told already.
  return BEFORE.test(lines[remark - 1] ?? '') ? remark - 1 : remark
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
  if (messageOf(node.stderr) !== messageOf(ours.stderr))
    return `stderr:\n${ours.stderr}\non Node's timers:\n${node.stderr}`
  return undefined
}

/** What a process prints that dies, but for the place of the `throw`: an exception that leaves the addon has lost it. */
function messageOf(stderr: string): string {
  return stderr.replace(PLACE, '')
}

/** The lines before the first that differ, and what follows on both sides. */
function excerpt(node: string[], ours: string[], at: number): string {
  const both = node.slice(Math.max(0, at - CONTEXT), at).map((line) => `    ${line}`)
  const side = (mark: string, lines: string[]): string[] => {
    const rest = lines.slice(at, at + CONTEXT).map((line) => `  ${mark} ${line}`)
    return rest.length === 0 ? [`  ${mark} (the end)`] : rest
  }
  return [`line ${at + 1} (- Node's timers, + ours):`, ...both, ...side('-', node), ...side('+', ours)].join(
    '\n',
  )
}
