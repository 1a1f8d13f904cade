/**
 * The tests of the contract that do not run in a page, each with its reason: by the specification's file, and by titles as
 * they are written there. Without titles: the whole file. An entry that fits nothing fails the run.
 *
 * @typedef {{ spec: string, titles?: string[], engines?: string[], reason: string }} LeftOut
 */

/** @type {LeftOut[]} */
const LEFT_OUT = [
  {
    spec: 'async-context',
    reason: 'a page has no async context to carry',
  },
  {
    spec: 'between-callbacks',
    reason: 'next ticks are of Node: for microtasks between callbacks see order.test.mjs here',
  },
  {
    spec: 'bad-input',
    titles: ['refuses a callback that is no function: %p'],
    reason:
      "compares with the errors of Node's setTimeout, and that of a page takes text: see environment.test.mjs here",
  },
  {
    spec: 'burst',
    titles: ['runs no more callbacks in one go than the budget has room for'],
    reason: 'a page may run two tasks before the message that stands for a turn: see burst.test.mjs here',
  },
  {
    spec: 'growth',
    titles: ['serves 200 wheels at once, each with its own ticks'],
    engines: ['chromium'],
    reason:
      'it sets ten GB of addresses aside for each WebAssembly memory, and has room for a hundred: see wheels.test.mjs here',
  },
  {
    spec: 'ids',
    titles: [
      'gives no id of a wheel that was collected to another',
      'gives no id that is 0, which programs take for none',
    ],
    reason: 'run in a process of their own: for the first id of a page see page/ids.test.ts',
  },
  {
    spec: 'throwing',
    titles: [
      'hands on what callbacks throw and runs all others in order',
      'goes on where thousands throw',
      'sets an interval again whose callback throws',
      'hands on what is thrown in a %s of a callback',
      'ends the process where nobody catches the exception',
    ],
    reason: 'uncaughtException of a process of its own: for window.onerror see errors.test.mjs here',
  },
  {
    spec: 'timeout',
    titles: ["clears Node's own timers, by %s", "is cleared by Node's own function, given the handle"],
    reason: 'the timers of a page are numbers, and its own functions know no handles',
  },
  {
    spec: 'timeout',
    titles: ['shows itself to util.inspect without the memory of its wheel'],
    reason: 'util.inspect is of Node',
  },
]

/** @param {string} engine @returns {LeftOut[]} */
export function leftOutOn(engine) {
  return LEFT_OUT.filter(({ engines }) => engines === undefined || engines.includes(engine))
}
