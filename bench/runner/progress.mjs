/**
 * One line on stderr that says what is being measured. On a terminal it is rewritten; elsewhere every new
 * step is a line of its own.
 */
export class Progress {
  #step = ''
  #isTerminal = process.stderr.isTTY === true
  /** @type {{ label: string, reason: string }[]} What could not be measured. */
  skipped = []

  /**
   * @param {string} step
   * @param {string} [detail]  Shown on a terminal only.
   */
  show(step, detail = '') {
    if (this.#isTerminal) process.stderr.write(`\r\x1b[K${step}  ${detail}`)
    else if (step !== this.#step) process.stderr.write(`${step}\n`)
    this.#step = step
  }

  /**
   * Says that something could not be measured, and keeps it.
   *
   * @param {string} label
   * @param {string} reason
   */
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
