/** Node's environment of Jest. It ends the children that a test file leaves, after all hooks of the file. */
const { TestEnvironment } = require('jest-environment-node')
const { END_CHILDREN } = require('./child.cjs')

module.exports = class extends TestEnvironment {
  async teardown() {
    await this.global[END_CHILDREN]?.()
    await super.teardown()
  }
}
