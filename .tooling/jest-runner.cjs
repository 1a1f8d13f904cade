/** The runner of Jest, with a quick `expect`. It ends the children that a test file leaves, after all hooks of the file. */
const run = require('jest-circus/runner').default
const { END_CHILDREN } = require('./child.cjs')
const { quickExpect } = require('./quick-expect.cjs')

module.exports = async (globalConfig, config, environment, runtime, ...rest) => {
  const setGlobals = runtime.setGlobalsForRuntime.bind(runtime)
  runtime.setGlobalsForRuntime = (globals) => setGlobals({ ...globals, expect: quickExpect(globals.expect) })
  try {
    return await run(globalConfig, config, environment, runtime, ...rest)
  } finally {
    await environment.global[END_CHILDREN]?.()
  }
}
