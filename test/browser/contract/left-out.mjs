/**
 * The tests of the contract that do not run in a page. `titles` are those of the source, or else all of the file. One that is not there fails.
 * @typedef {{ spec: string, titles?: string[], engines?: string[], reason: string }} LeftOut
 */

/** @type {LeftOut[]} */
const LEFT_OUT = [
  {
    spec: 'between-callbacks',
    reason:
      'only Node has next ticks and contexts: see test/browser/between-callbacks.test.mjs for microtasks between callbacks',
  },
  {
    spec: 'timeout-map',
    titles: ['ends entries in real time: never early, and without a call'],
    engines: ['workerd'],
    reason: 'a map without a wheel has no timer there: see test/page/workerd/request-timers.test.ts',
  },
  {
    spec: 'stop',
    titles: ['lists the timers of the shared wheel'],
    engines: ['workerd'],
    reason: 'there is no shared wheel',
  },
  {
    spec: 'timeout',
    titles: ["clears Node's own timers, by %s", "can be cleared by Node's own function, by its handle"],
    reason: 'the native timers of a page are numbers, and its native functions accept no handles',
  },
]

/** @param {string} engine @returns {LeftOut[]} */
export function leftOutOn(engine) {
  return LEFT_OUT.filter(({ engines }) => engines === undefined || engines.includes(engine))
}
