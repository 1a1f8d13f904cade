/** What targets load, held to the contract without a browser: the specifications whose wheels move in virtual time. */
import { jest } from '@jest/globals'

jest.doMock('../contract/builds.js', () => ({ builds: [require('../../lib/entry/browser.js')] }))

for (const specification of [
  'forged-ids',
  'growth',
  'inheriting',
  'inside-callbacks',
  'interval',
  'long-delays',
  'model',
  'refresh-long-ago',
  'refresh-while-due',
  'run-all',
  'stop',
  'trim',
]) {
  require(`../contract/${specification}.test`)
}
