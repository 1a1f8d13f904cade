/** Writes the name of the current measurement to stderr. On a terminal it rewrites one line. */
export class Progress {
  #step = ''
  #isTerminal = process.stderr.isTTY === true
  skipped = []

  show(step, detail = '') {
    if (this.#isTerminal) process.stderr.write(`\r\x1b[K${step}  ${detail}`)
    else if (step !== this.#step) process.stderr.write(`${step}\n`)
    this.#step = step
  }

  /** Reports that something could not be measured, and keeps the report. */
  skip(label, reason) {
    this.clear()
    process.stderr.write(`Not measured: ${label}: ${reason}\n`)
    this.skipped.push({ label, reason })
  }

  clear() {
    if (this.#isTerminal) process.stderr.write('\r\x1b[K')
    this.#step = ''
  }
}
