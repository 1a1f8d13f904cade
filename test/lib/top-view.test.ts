/** The view of `timeout-wheel top`: its text, and how it is drawn in a terminal. */
import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { blocks, type Output, screen, type Terminal } from '../../lib/top/output.js'
import { viewIn } from '../../lib/top/program.js'
import { type CallbackRow, render, type WheelRow } from '../../lib/top/render.js'
import { readCommand } from '../../lib/top/top.js'

const counts = { pending: 2, scheduled: 100, fired: 50, cancelled: 48, overruns: 1, bytes: 2048 }
const wheel: WheelRow = { name: 'shared', counts: counts as WheelRow['counts'], before: undefined }
const later = { ...wheel, counts: { ...wheel.counts, scheduled: 300, fired: 60 }, before: wheel.counts }
const slow: CallbackRow = { name: 'slow', runs: 2, longest: 20, all: 30 }
const lateness = { count: 3, mean: 1, p50: 0.5, p99: 12.34, max: 1234 }
const text = (wheels: WheelRow[], callbacks = [slow], late = lateness): string =>
  render(4000, 2000, wheels, late, callbacks).join('\n')
const VIEW = ['timers after 4.0 s', '', 'a line that is longer than the forty columns of the terminal']

class Text extends Writable {
  text = ''
  readonly columns = 40
  readonly rows = 12
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk
    done()
  }
}

it('shows the counts of each wheel, with rates since the view before or the start of the program', () => {
  expect(text([wheel])).toMatch(/^shared +2 +50\/s +25\/s +24\/s +1 +2 KiB$/m)
  expect(text([later, { ...wheel, name: '' }])).toMatch(
    /^shared +2 +100\/s +5\/s +0\/s +1 +2 KiB\n\(no name\) +2 +50\/s/m,
  )
})

it('shows lateness, and the slowest callbacks first', () => {
  const lines = text([], [slow, { name: 'slower', runs: 1, longest: 123, all: 123 }]).split('\n')
  expect(lines).toContain('lateness of 3 callbacks: p50 0.50 ms, p99 12.3 ms, max 1,234 ms')
  expect(lines.slice(-2)).toEqual(['slower     1   123 ms   123 ms', 'slow       2  20.0 ms  30.0 ms'])
  expect(text([], [], { ...lateness, count: 0 })).toContain('lateness of 0 callbacks: -\n')
})

it('shows names without characters that move the cursor', () => {
  const odd = text([wheel], [{ ...slow, name: 'a\x1b[2Jb\nc' }])
  expect([...odd].filter((character) => character < ' ' && character !== '\n')).toEqual([])
  expect(odd).toContain('a [2Jb c')
})

/** Connects an output to a program that prints a text. */
async function print(output: Output, printed: string): Promise<void> {
  const stdout = new PassThrough()
  output.connect(stdout)
  stdout.end(printed)
  await EventEmitter.once(stdout, 'end')
}

// top.test.ts has `--once`.
it('prints one block for each view, apart from what the program prints', async () => {
  const [out, other] = [new Text(), new Text()]
  const output = blocks(out, other, false)
  await print(output, 'printed')
  for (const line of ['one', 'two']) output.show([line])
  output.end()
  expect([out.text, other.text]).toEqual(['one\n\ntwo\n\n', 'printed'])
})

it('draws a screen that fits the terminal, shows the last lines of the program, and leaves all of them behind', async () => {
  const terminal = new Text()
  const output = screen(terminal as unknown as Terminal)
  await print(output, 'one\ntwo\nwith \x1b[31mcolour')
  terminal.text = ''
  output.show([...VIEW, ...VIEW, ...VIEW])
  const drawn = terminal.text
  expect(drawn.startsWith('\x1b[H')).toBe(true)
  const lines = drawn.slice(3, -3).replaceAll('\x1b[K', '').split('\r\n')
  expect(lines.length).toBeLessThanOrEqual(terminal.rows)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(terminal.columns)
  expect(lines.slice(-3)).toEqual(['one', 'two', 'with  [31mcolour'])
  output.end()
  expect(terminal.text.slice(drawn.length)).toBe('\x1b[?25h\x1b[?1049lone\ntwo\nwith \x1b[31mcolour\n')
})

const BAD = '--seconds must be a number above 0, at most 2147483, got'
it.each([
  ['', 'the program is missing'],
  ['--seconds NaN app.js', `${BAD} 'NaN'`],
  ['--seconds 2147484 app.js', `${BAD} '2147484'`],
  ['--often app.js', "Unknown option '--often'"],
])('refuses the command line "%s"', (args, message) => {
  expect(() => readCommand(args.split(' ').filter(Boolean))).toThrow(message)
})

it('reads no view in the part of a line that a killed program leaves', () => {
  const line = JSON.stringify(VIEW)
  expect(viewIn(line)).toEqual(VIEW)
  for (let end = 0; end < line.length; end++) expect(viewIn(line.slice(0, end))).toBe(undefined)
})
