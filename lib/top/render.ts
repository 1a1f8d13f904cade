/** Writes a view of `timeout-wheel top` as lines of text. */
import type { Lateness, WheelStats } from '../api/stats.js'

export interface WheelRow {
  readonly name: string
  counts: WheelStats
  /** The counts from which the rates are computed; undefined: all are 0. */
  before: WheelStats | undefined
}

/** The calls of all callbacks of one name. */
export interface CallbackRow {
  readonly name: string
  runs: number
  /** Milliseconds, as `all`. */
  longest: number
  all: number
}

/** The callbacks that are shown. */
const SHOWN = 20

const count = (n: number): string => Math.round(n).toLocaleString('en-US')
const ms = (n: number): string => `${n >= 100 ? count(n) : n.toFixed(n >= 10 ? 1 : 2)} ms`

/** Text from the program, without characters that would move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that terminals obey
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  )
}

/**
 * @param at milliseconds since the program started
 * @param time milliseconds in which the counts of the wheels have grown, and for which `lateness` is
 */
export function render(
  at: number,
  time: number,
  wheels: readonly WheelRow[],
  lateness: Lateness,
  callbacks: readonly CallbackRow[],
): string[] {
  const wheelRow = ({ name, counts, before }: WheelRow): string[] => {
    const rate = (key: 'scheduled' | 'fired' | 'cancelled'): string =>
      `${count(((counts[key] - (before?.[key] ?? 0)) / Math.max(time, 1)) * 1000)}/s`
    const rates = [rate('scheduled'), rate('fired'), rate('cancelled')]
    const memory = `${count(counts.bytes / 1024)} KiB`
    return [plain(name) || '(no name)', count(counts.pending), ...rates, count(counts.overruns), memory]
  }
  const { p50, p99, max } = lateness
  const late = lateness.count === 0 ? '-' : `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)}`
  const slowest = [...callbacks].sort((a, b) => b.longest - a.longest).slice(0, SHOWN)
  return [
    `timers after ${(at / 1000).toFixed(1)} s`,
    '',
    ...columns([
      ['wheel', 'pending', 'set', 'run', 'cancelled', 'overruns', 'memory'],
      ...wheels.map(wheelRow),
    ]),
    '',
    `lateness of ${count(lateness.count)} callbacks: ${late}`,
    '',
    'slowest callbacks',
    ...columns([
      ['name', 'runs', 'longest', 'all'],
      ...slowest.map(({ name, runs, longest, all }) => [
        plain(name).slice(0, 40),
        count(runs),
        ms(longest),
        ms(all),
      ]),
    ]),
  ]
}
