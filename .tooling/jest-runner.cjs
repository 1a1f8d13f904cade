/** The runner of Jest. It ends the children that a test file leaves, after all hooks of the file. */
const run = require('jest-circus/runner').default
const { END_CHILDREN } = require('./child.cjs')

module.exports = async (globalConfig, config, environment, ...rest) => {
  try {
    return await run(globalConfig, config, environment, ...rest)
  } finally {
    await environment.global[END_CHILDREN]?.()
  }
}
