/** Shows views: redrawn in a terminal, or as one block of text after another. */
import type { Readable, Writable } from 'node:stream'
import { plain } from './render.js'

export interface Output {
  show(view: string[]): void
  /** Takes what the program prints to a stream. */
  connect(printed: Readable): void
  /** The program has ended. */
  end(): void
}

/** Blocks of text on `out`. What the program prints goes to `other`. @param isOnce shows the last view alone */
export function blocks(out: Writable, other: Writable, isOnce: boolean): Output {
  let last: string[] | undefined
  const write = (view: string[]): unknown => out.write(`${view.join('\n')}\n\n`)
  return {
    show(view) {
      if (isOnce) last = view
      else write(view)
    },
    connect: (printed) => printed.on('data', (chunk: Buffer) => other.write(chunk)),
    end() {
      if (last !== undefined) write(last)
    },
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
export function screen(terminal: Terminal): Output {
  const lines = ['']
  terminal.write(ENTER)
  return {
    show(view) {
      const { columns, rows } = terminal
      const below = lines.filter((line) => line !== '').slice(-BELOW)
      const room = Math.max(rows - below.length - 2, 1)
      const drawn = [...view.slice(0, room), '', ...below.map(plain)]
      const text = drawn.map((line) => `${line.slice(0, columns)}\x1b[K`).join('\r\n')
      terminal.write(`\x1b[H${text}\x1b[J`)
    },
    connect(printed) {
      printed.setEncoding('utf8').on('data', (text: string) => {
        const [first, ...rest] = text.split('\n')
        lines[lines.length - 1] += first!
        lines.push(...rest)
        lines.splice(0, lines.length - KEPT)
      })
    },
    end() {
      const kept = lines.join('\n')
      terminal.write(`${LEAVE}${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}`)
    },
  }
}
