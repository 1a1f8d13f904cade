/** A reporter of Jest that notes which test files run, so that an interrupted run can say where it stood. */
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')

const ROOT = join(__dirname, '..')
const NOTES = join(ROOT, 'build/reports/running.json')

const files = new Set()
function note(change, { path }) {
  files[change](relative(ROOT, path))
  mkdirSync(dirname(NOTES), { recursive: true })
  writeFileSync(NOTES, JSON.stringify([...files]))
}

module.exports = class Running {
  /** The test files that Jest was running when it wrote its last note. @returns {string[]} */
  static files() {
    try {
      return JSON.parse(readFileSync(NOTES, 'utf8'))
    } catch {
      return [] // Jest has not started.
    }
  }

  /** Call it before another run of Jest. */
  static forget() {
    rmSync(NOTES, { force: true })
  }

  onTestFileStart = (test) => note('add', test)
  onTestFileResult = (test) => note('delete', test)
}
