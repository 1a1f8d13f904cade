/** Writes the view of `timeout-wheel top` as lines of text. */
import type { Report, WheelReport } from './report.js'

const count = (n: number): string => Math.round(n).toLocaleString('en-US')
const ms = (n: number): string => (n >= 100 ? count(n) : n.toFixed(n >= 10 ? 1 : 2))
export const seconds = (n: number): string => `${(n / 1000).toFixed(1)} s`

/** The upper ends of the rows of delays, in milliseconds. */
const ROWS: [number, string][] = [
  [10, '10 ms'],
  [100, '100 ms'],
  [1000, '1 s'],
  [10_000, '10 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [Number.POSITIVE_INFINITY, 'longer'],
]
const BAR = 30

/** Text from the program, without characters that would move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that terminals obey
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  )
}

function wheelLines(report: Report, last: Report | undefined): string[] {
  const time = last === undefined ? report.at / 1000 : (report.at - last.at) / 1000
  const rate = (wheel: WheelReport, key: 'scheduled' | 'fired' | 'cancelled' | 'refreshed'): string => {
    const before = last?.wheels.find(({ id }) => id === wheel.id)?.[key] ?? 0
    return `${count((wheel[key] - before) / Math.max(time, 0.001))}/s`
  }
  const header = ['wheel', 'pending', 'set', 'run', 'cancelled', 'refreshed', 'overruns', 'memory']
  const rows = report.wheels.map((wheel) => [
    plain(wheel.name) || '(no name)',
    count(wheel.pending),
    rate(wheel, 'scheduled'),
    rate(wheel, 'fired'),
    rate(wheel, 'cancelled'),
    rate(wheel, 'refreshed'),
    count(wheel.overruns ?? 0),
    `${count(wheel.bytes / 1024)} KiB`,
  ])
  return columns([header, ...rows])
}

function delayLines({ delays }: Report): string[] {
  const sums = ROWS.map(() => 0)
  for (const [delay, timers] of delays) sums[ROWS.findIndex(([end]) => delay <= end)]! += timers
  const most = Math.max(...sums, 1)
  return columns(ROWS.map(([, name], i) => [name, count(sums[i]!)])).map((line, i) =>
    `${line}  ${'#'.repeat(Math.ceil((sums[i]! / most) * BAR))}`.trimEnd(),
  )
}

/** @param last the report before, for rates; undefined: there is none */
export function render(report: Report, last: Report | undefined): string[] {
  const { lateness, callbacks } = report
  const late = `p50 ${ms(lateness.p50)} ms, p99 ${ms(lateness.p99)} ms, max ${ms(lateness.max)} ms`
  return [
    `timers after ${seconds(report.at)}`,
    '',
    ...wheelLines(report, last),
    '',
    `lateness of ${count(lateness.count)} callbacks: ${lateness.count === 0 ? '-' : late}`,
    '',
    'pending by delay, up to',
    ...delayLines(report),
    '',
    'slowest callbacks',
    ...columns([
      ['name', 'runs', 'longest', 'all'],
      ...callbacks.map(({ name, count: runs, max, total }) => [
        plain(name).slice(0, 40),
        count(runs),
        `${ms(max)} ms`,
        `${ms(total)} ms`,
      ]),
    ]),
  ]
}
