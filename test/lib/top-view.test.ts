/** The view of `timeout-wheel top`: its text, and how it is drawn in a terminal. */
import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { expect, it } from '@jest/globals'
import { reportIn } from '../../lib/top/program.js'
import { render } from '../../lib/top/render.js'
import type { Report } from '../../lib/top/report.js'
import { readCommand } from '../../lib/top/top.js'
import { Blocks, Screen, type Terminal } from '../../lib/top/views.js'

const counts = { pending: 2, scheduled: 100, fired: 50, cancelled: 48, refreshed: 7, overruns: 1 }
const wheel = { id: 1, name: 'shared', ...counts, bytes: 2048 }
const report: Report = {
  isLast: false,
  at: 2000,
  wheels: [wheel],
  delays: Object.entries({ 10: 1, 11: 2, [2 ** 40]: 1 }).map(([delay, count]) => [+delay, count]),
  lateness: { count: 3, mean: 1, p50: 0.5, p99: 12.34, max: 1234 },
  callbacks: [{ name: 'slow', count: 2, total: 30, max: 20 }],
}
const later: Report = {
  ...report,
  at: 4000,
  wheels: [
    { ...wheel, id: 2, name: '', scheduled: 10 },
    { ...wheel, scheduled: 300, fired: 60 },
  ],
}

class Text extends Writable {
  text = ''
  readonly columns = 40
  readonly rows = 12
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk
    done()
  }
}

it('shows rates since the program started, or since the report before, of the same wheel', () => {
  expect(render(report, undefined).join('\n')).toMatch(/^shared +2 +50\/s +25\/s +24\/s +4\/s +1 +2 KiB$/m)
  const text = render(later, report).join('\n')
  expect(text).toMatch(/^shared +2 +100\/s +5\/s +0\/s +0\/s +1 +2 KiB$/m)
  expect(text).toMatch(/^\(no name\) +2 +5\/s/m)
})

it('shows lateness, pending timers by delay and the slowest callbacks', () => {
  expect(render(report, undefined)).toEqual(
    expect.arrayContaining([
      'lateness of 3 callbacks: p50 0.50 ms, p99 12.3 ms, max 1,234 ms',
      '10 ms   1  ###############',
      '100 ms  2  ##############################',
      'longer  1  ###############',
      'slow     2  20.0 ms  30.0 ms',
    ]),
  )
  const lateness = { count: 0, mean: 0, p50: 0, p99: 0, max: 0 }
  const nothing = { ...report, lateness, wheels: [], delays: [] }
  expect(render(nothing, undefined)).toContain('lateness of 0 callbacks: -')
})

it('shows names without characters that move the cursor', () => {
  const odd = { ...report, callbacks: [{ name: 'a\x1b[2Jb\nc', count: 1, total: 1, max: 1 }] }
  const text = render(odd, undefined).join('')
  expect([...text].filter((character) => character < ' ')).toEqual([])
  expect(text).toContain('a [2Jb c')
})

/** Connects a view to a program that prints a text. */
async function print(view: Blocks | Screen, text: string): Promise<void> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  view.connect(stdout, stderr)
  stdout.end(text)
  await EventEmitter.once(stdout, 'end')
}

it.each([
  ['one block for each report', false, 2, /^shared +2 +100\/s/m],
  ['a single block with --once: the last, with the rates of all the time', true, 1, /^shared +2 +75\/s/m],
])('prints %s, apart from what the program prints', async (_title, once, count, rates) => {
  const [out, other] = [new Text(), new Text()]
  const view = new Blocks(out, other, once)
  await print(view, 'printed')
  view.show(report)
  view.show(later)
  view.end(0)
  expect(out.text.match(/timers after/g)).toHaveLength(count)
  expect(out.text).toMatch(rates)
  expect(other.text).toBe('printed')
})

it.each([
  [false, 49, ''],
  [true, 49, ''],
  [false, 1449, 'The program ended 1.4 s after this report.\n'],
  [true, 1449, 'The program ended 1.4 s after this report.\n'],
])('says how old the last block is, unless it is of the end: --once %p, %d ms', (once, age, ending) => {
  const out = new Text()
  const view = new Blocks(out, new Text(), once)
  view.show(report)
  view.end(age)
  expect(out.text.slice(out.text.lastIndexOf('\n\n') + 2)).toBe(ending)
})

it('draws a screen that fits the terminal, shows the last lines of the program, and leaves all of them behind', async () => {
  const terminal = new Text()
  const view = new Screen(terminal as unknown as Terminal)
  await print(view, 'one\ntwo\nwith \x1b[31mcolour')
  terminal.text = ''
  view.show(report)
  const drawn = terminal.text
  expect(drawn.startsWith('\x1b[H')).toBe(true)
  const lines = drawn.slice(3, -3).replaceAll('\x1b[K', '').split('\r\n')
  expect(lines.length).toBeLessThanOrEqual(terminal.rows)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(terminal.columns)
  expect(lines.slice(-3)).toEqual(['one', 'two', 'with  [31mcolour'])
  view.end()
  expect(terminal.text.slice(drawn.length)).toBe('\x1b[?25h\x1b[?1049lone\ntwo\nwith \x1b[31mcolour\n')
})

it('keeps the last thousand lines of the program', async () => {
  const terminal = new Text()
  const view = new Screen(terminal as unknown as Terminal)
  await print(view, Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join(''))
  view.end()
  expect(terminal.text).not.toContain('line 3999\n')
  expect(terminal.text).toContain('line 4999\n')
})

const usual = { once: false, seconds: Number.POSITIVE_INFINITY, program: 'app.js', args: [] }

it.each([
  [['app.js'], usual],
  [['--once', 'app.js', '--once', '-h'], { ...usual, once: true, args: ['--once', '-h'] }],
  [['--seconds', '1.5', 'app.js', 'a'], { ...usual, seconds: 1.5, args: ['a'] }],
  [['--seconds=2', 'app.js', '--', 'a'], { ...usual, seconds: 2, args: ['--', 'a'] }],
  [['--help'], 'help'],
  [['-h', 'app.js'], 'help'],
])('understands the command line %p', (args, expected) => {
  expect(readCommand(args)).toEqual(expected)
})

const BAD = '--seconds must be a number above 0, at most 2147483, got'
it.each([
  ['', 'the program is missing'],
  ['--once', 'the program is missing'],
  ['--seconds 0 app.js', `${BAD} '0'`],
  ['--seconds NaN app.js', `${BAD} 'NaN'`],
  ['--seconds 2147484 app.js', `${BAD} '2147484'`],
  ['--seconds= app.js', `${BAD} ''`],
  ['--once=yes app.js', 'once'],
  ['--often app.js', "Unknown option '--often'"],
])('refuses the command line "%s"', (args, message) => {
  expect(() => readCommand(args.split(' ').filter(Boolean))).toThrow(message)
})

it('reads no report in the part of a line that a killed program leaves', () => {
  const line = JSON.stringify(report)
  expect(reportIn(line)).toEqual(report)
  for (let end = 0; end < line.length; end++) expect(reportIn(line.slice(0, end))).toBe(undefined)
})
