import { inTurn, runChild } from '../harness.mjs'
import { formatCount } from '../report.mjs'

const longestDelay = 3_000

/** @type {import('../harness.mjs').Part} */
export default {
  name: 'set-fire',
  metrics: [
    { key: 'cpu', label: 'CPU per timer', unit: 'ns' },
    { key: 'wall', label: 'wall', unit: 'ms' },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 2 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
  ],

  describe: ({ timers }) => ({
    title: `Set and fire ${formatCount(timers)} timers of random delays`,
    note:
      'Delays of 1 to 3,000 ms; each contender in a process of its own. CPU is user and system time of ' +
      'the whole process from the first set to the last callback. Lateness is taken on every eighth ' +
      'timer, against a clock read just before it was set: below zero is early.',
  }),

  run: (contenders, settings, progress) =>
    inTurn(
      contenders.filter(({ api }) => api !== 'handlesWithoutContext'),
      { name: 'set-fire', turns: settings.turns ?? 2, progress },
      ({ id }) => runChild('set-fire.mjs', [id, settings.timers, longestDelay]),
    ),
}
