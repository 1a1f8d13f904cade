/**
 * One line on stderr that says what is being measured. On a terminal it is rewritten; elsewhere every new
 * step is a line of its own.
 */
export class Progress {
  #step = ''
  #isTerminal = process.stderr.isTTY === true

  /**
   * @param {string} step
   * @param {string} [detail]  Shown on a terminal only.
   */
  show(step, detail = '') {
    if (this.#isTerminal) process.stderr.write(`\r\x1b[K${step}  ${detail}`)
    else if (step !== this.#step) process.stderr.write(`${step}\n`)
    this.#step = step
  }

  clear() {
    if (this.#isTerminal) process.stderr.write('\r\x1b[K')
    this.#step = ''
  }
}
