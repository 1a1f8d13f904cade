/** The runner of Jest: notes which file runs, so that an interrupted run can say it, and ends the children that a file leaves after its hooks. */
const { mkdirSync, rmSync, writeFileSync } = require('node:fs')
const { join, relative } = require('node:path')
const run = require('jest-circus/runner').default
const { END_CHILDREN } = require('./child.cjs')

/** A note for each process of Jest. */
const NOTES = join(__dirname, '../build/reports/running')

module.exports = async (globalConfig, config, environment, runtime, file, ...rest) => {
  const note = join(NOTES, `${process.pid}`)
  mkdirSync(NOTES, { recursive: true })
  writeFileSync(note, relative(config.rootDir, file))
  try {
    return await run(globalConfig, config, environment, runtime, file, ...rest)
  } finally {
    await environment.global[END_CHILDREN]?.()
    rmSync(note, { force: true })
  }
}
