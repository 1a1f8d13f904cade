/** A reporter of Jest that notes which test files run, so that an interrupted run can say where it stood. */
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')

const ROOT = join(__dirname, '..')
const NOTES = join(ROOT, 'build/reports/running.json')

class Running {
  #files = new Set()

  onTestFileStart({ path }) {
    this.#files.add(relative(ROOT, path))
    this.#write()
  }

  onTestFileResult({ path }) {
    this.#files.delete(relative(ROOT, path))
    this.#write()
  }

  #write() {
    mkdirSync(dirname(NOTES), { recursive: true })
    writeFileSync(NOTES, JSON.stringify([...this.#files]))
  }
}

/** The test files that Jest was running when it wrote its last note. @returns {string[]} */
function runningFiles() {
  try {
    return JSON.parse(readFileSync(NOTES, 'utf8'))
  } catch {
    return [] // Jest has not started.
  }
}

/** Call it before another run of Jest. */
const forgetFiles = () => rmSync(NOTES, { force: true })

module.exports = Running
module.exports.runningFiles = runningFiles
module.exports.forgetFiles = forgetFiles
