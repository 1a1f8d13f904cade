/** The runner of Jest, with a quick `expect`. */
const run = require('jest-circus/runner').default
const { quickExpect } = require('./quick-expect.cjs')

module.exports = (globalConfig, config, environment, runtime, ...rest) => {
  const setGlobals = runtime.setGlobalsForRuntime.bind(runtime)
  runtime.setGlobalsForRuntime = (globals) => setGlobals({ ...globals, expect: quickExpect(globals.expect) })
  return run(globalConfig, config, environment, runtime, ...rest)
}
