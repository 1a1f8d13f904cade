/** Shows reports: redrawn in a terminal, or as one block of text after another. */
import type { Readable, Writable } from 'node:stream'
import { plain, render, seconds } from './render.js'
import type { Report } from './report.js'

export interface View {
  show(report: Report): void
  /** Takes the output of the program. */
  connect(stdout: Readable, stderr: Readable): void
  /**
   * Called when the program has ended.
   *
   * @param age milliseconds from the last report to the end; undefined: there was no report
   */
  end(age: number | undefined): void
}

/** Blocks of text on `out`. The program's own output goes to `other`, so that it does not mix with them. */
export class Blocks implements View {
  readonly #out: Writable
  readonly #other: Writable
  readonly #lastOnly: boolean
  #before: Report | undefined
  #last: Report | undefined

  /** @param lastOnly shows the last report alone, as the sum of all */
  constructor(out: Writable, other: Writable, lastOnly: boolean) {
    this.#out = out
    this.#other = other
    this.#lastOnly = lastOnly
  }

  show(report: Report): void {
    this.#last = report
    if (this.#lastOnly) return
    this.#print(report)
    this.#before = report
  }

  connect(stdout: Readable, stderr: Readable): void {
    for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => this.#other.write(chunk))
  }

  end(age = 0): void {
    if (this.#lastOnly && this.#last !== undefined) this.#print(this.#last)
    if (seconds(age) !== seconds(0)) this.#out.write(`The program ended ${seconds(age)} after this report.\n`)
  }

  #print(report: Report): void {
    this.#out.write(`${render(report, this.#before).join('\n')}\n\n`)
  }
}

export interface Terminal extends Writable {
  readonly columns: number
  readonly rows: number
}

const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
/** Lines of the program's output that are kept, and printed when the program has ended. */
const KEPT = 1000
/** Lines of the program's output below the view. */
const BELOW = 8

/** A view that is redrawn in the terminal's other screen. Below it are the last lines that the program has printed. */
export class Screen implements View {
  readonly #terminal: Terminal
  readonly #lines: string[] = ['']
  #before: Report | undefined

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    terminal.write(ENTER)
  }

  show(report: Report): void {
    this.#draw(render(report, this.#before))
    this.#before = report
  }

  connect(stdout: Readable, stderr: Readable): void {
    for (const stream of [stdout, stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.#keep(text))
  }

  end(): void {
    const kept = this.#lines.join('\n')
    this.#terminal.write(`${LEAVE}${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}`)
  }

  #keep(text: string): void {
    const [first, ...rest] = text.split('\n')
    this.#lines[this.#lines.length - 1] += first!
    this.#lines.push(...rest)
    this.#lines.splice(0, this.#lines.length - KEPT)
  }

  #draw(view: string[]): void {
    const { columns, rows } = this.#terminal
    const below = this.#lines.filter((line) => line !== '').slice(-BELOW)
    const room = Math.max(rows - below.length - 2, 1)
    const lines = [...view.slice(0, room), '', ...below.map(plain)]
    const text = lines.map((line) => `${line.slice(0, columns)}\x1b[K`).join('\r\n')
    this.#terminal.write(`\x1b[H${text}\x1b[J`)
  }
}
