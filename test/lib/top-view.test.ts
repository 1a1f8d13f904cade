/** The view of `timeout-wheel top`: its text, and how it is drawn in a terminal. */
import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { codeOf, reportIn } from '../../lib/top/program.js'
import { render } from '../../lib/top/render.js'
import type { Report } from '../../lib/top/report.js'
import { readCommand } from '../../lib/top/top.js'
import { Blocks, Screen, type Terminal } from '../../lib/top/views.js'

const wheel = {
  id: 1,
  name: 'shared',
  pending: 2,
  scheduled: 100,
  fired: 50,
  cancelled: 48,
  refreshed: 7,
  overruns: 1,
  bytes: 2048,
}
const report: Report = {
  isLast: false,
  at: 2000,
  wheels: [wheel],
  delays: [
    [10, 1],
    [11, 2],
    [2 ** 40, 1],
  ],
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

describe('the text', () => {
  it('shows rates since the program started, or since the report before, of the same wheel', () => {
    expect(render(report, undefined).join('\n')).toMatch(/^shared +2 +50\/s +25\/s +24\/s +4\/s +1 +2 KiB$/m)
    const text = render(later, report).join('\n')
    expect(text).toMatch(/^shared +2 +100\/s +5\/s +0\/s +0\/s +1 +2 KiB$/m)
    expect(text).toMatch(/^\(no name\) +2 +5\/s/m)
  })

  it('shows lateness, pending timers by delay and the slowest callbacks', () => {
    const lines = render(report, undefined)
    expect(lines).toContain('lateness of 3 callbacks: p50 0.50 ms, p99 12.3 ms, max 1,234 ms')
    expect(lines).toContain('10 ms   1  ###############')
    expect(lines).toContain('100 ms  2  ##############################')
    expect(lines).toContain('longer  1  ###############')
    expect(lines).toContain('slow     2  20.0 ms  30.0 ms')
    const nothing = {
      ...report,
      lateness: { count: 0, mean: 0, p50: 0, p99: 0, max: 0 },
      wheels: [],
      delays: [],
    }
    expect(render(nothing, undefined)).toContain('lateness of 0 callbacks: -')
  })

  it('shows names without characters that move the cursor', () => {
    const odd = { ...report, callbacks: [{ name: 'a\x1b[2Jb\nc', count: 1, total: 1, max: 1 }] }
    const text = render(odd, undefined).join('')
    expect([...text].filter((character) => character < ' ')).toEqual([])
    expect(text).toContain('a [2Jb c')
  })
})

describe('blocks', () => {
  const pass = (view: Blocks): void => {
    view.show(report)
    view.show(later)
    view.end(0)
  }

  it('are one for each report, apart from what the program prints', async () => {
    const [out, other, stdout, stderr] = [new Text(), new Text(), new PassThrough(), new PassThrough()]
    const view = new Blocks(out, other, false)
    view.connect(stdout, stderr)
    stdout.end('printed')
    await EventEmitter.once(stdout, 'end')
    pass(view)
    expect(out.text.match(/timers after/g)).toHaveLength(2)
    expect(other.text).toBe('printed')
  })

  it('say how old the last is, unless it is of the end', () => {
    for (const [age, ending] of [
      [49, ''],
      [1449, 'The program ended 1.4 s after this report.\n'],
    ] as const) {
      for (const once of [false, true]) {
        const out = new Text()
        const view = new Blocks(out, new Text(), once)
        view.show(report)
        view.end(age)
        expect(out.text.slice(out.text.lastIndexOf('\n\n') + 2)).toBe(ending)
      }
    }
  })

  it('are a single one with --once: the last, with the rates of all the time', () => {
    const out = new Text()
    pass(new Blocks(out, new Text(), true))
    expect(out.text.match(/timers after/g)).toHaveLength(1)
    expect(out.text).toMatch(/^shared +2 +75\/s/m)
  })
})

describe('the screen', () => {
  it('fits the terminal, shows the last lines of the program, and leaves all of them behind', async () => {
    const [terminal, stdout, stderr] = [new Text(), new PassThrough(), new PassThrough()]
    const view = new Screen(terminal as unknown as Terminal)
    view.connect(stdout, stderr)
    stdout.end('one\ntwo\nwith \x1b[31mcolour')
    await EventEmitter.once(stdout, 'end')
    terminal.text = ''
    view.show(report)
    const drawn = terminal.text
    expect(drawn.startsWith('\x1b[H')).toBe(true)
    const lines = drawn.slice(3, -3).split('\r\n')
    expect(lines.length).toBeLessThanOrEqual(terminal.rows)
    for (const line of lines) expect(line.replace('\x1b[K', '').length).toBeLessThanOrEqual(terminal.columns)
    expect(lines.slice(-3).map((line) => line.replace('\x1b[K', ''))).toEqual([
      'one',
      'two',
      'with  [31mcolour',
    ])
    view.end()
    expect(terminal.text.slice(drawn.length)).toBe('\x1b[?25h\x1b[?1049lone\ntwo\nwith \x1b[31mcolour\n')
  })

  it('keeps the last thousand lines', async () => {
    const [terminal, stdout] = [new Text(), new PassThrough()]
    const view = new Screen(terminal as unknown as Terminal)
    view.connect(stdout, new PassThrough())
    stdout.end(Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join(''))
    await EventEmitter.once(stdout, 'end')
    view.end()
    expect(terminal.text).not.toContain('line 3999\n')
    expect(terminal.text).toContain('line 4999\n')
  })
})

describe('the command line', () => {
  const usual = { once: false, seconds: Number.POSITIVE_INFINITY, program: 'app.js', args: [] }

  it.each([
    [['app.js'], usual],
    [['--once', 'app.js', '--once', '-h'], { ...usual, once: true, args: ['--once', '-h'] }],
    [['--seconds', '1.5', 'app.js', 'a'], { ...usual, seconds: 1.5, args: ['a'] }],
    [['--seconds=2', 'app.js', '--', 'a'], { ...usual, seconds: 2, args: ['--', 'a'] }],
    [['--help'], 'help'],
    [['-h', 'app.js'], 'help'],
  ])('understands %p', (args, expected) => {
    expect(readCommand(args)).toEqual(expected)
  })

  it.each([
    [[], 'the program is missing'],
    [['--once'], 'the program is missing'],
    [['--seconds', '0', 'app.js'], "--seconds must be a number above 0, at most 2147483, got '0'"],
    [['--seconds', '-1', 'app.js'], 'seconds'],
    [['--seconds', 'NaN', 'app.js'], "--seconds must be a number above 0, at most 2147483, got 'NaN'"],
    [['--seconds', '2147484', 'app.js'], "got '2147484'"],
    [['--seconds=', 'app.js'], "--seconds must be a number above 0, at most 2147483, got ''"],
    [['--seconds= ', 'app.js'], "got ' '"],
    [['--seconds'], 'seconds'],
    [['--once=yes', 'app.js'], 'once'],
    [['--often', 'app.js'], "Unknown option '--often'"],
  ])('refuses %p', (args, message) => {
    expect(() => readCommand(args)).toThrow(message)
  })

  it('has the exit codes of a shell for signals', () => {
    expect(codeOf('SIGTERM')).toBe(143)
  })
})

it('reads no report in the part of a line that a killed program leaves', () => {
  const line = JSON.stringify(report)
  expect(reportIn(line)).toEqual(report)
  for (let end = 0; end < line.length; end++) expect(reportIn(line.slice(0, end))).toBe(undefined)
})
