import { setTimeout as sleep } from 'node:timers/promises'
import { toRow } from '../runner/harness.mjs'
import { ask, nextMessage, startChild } from '../runner/processes.mjs'

const seconds = 5
/** Seconds in which the engine compiles code. They are not measured. */
const settling = 3

/** @type {import('../runner/harness.mjs').Subject} */
const empty = { id: 'empty', label: 'no timer at all', group: 'rival' }

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'few',
  metrics: [
    { key: 'cpu', label: 'CPU', unit: 'ms/s', digits: 2 },
    { key: 'memory', label: 'whole process', unit: 'MB', digits: 1 },
  ],

  describe: () => ({
    title: 'Few timers: ten, a hundred runs a second',
    note:
      `Ten timers of 50 to 150 ms, each set again when it has run, for ${seconds} s, as in a program with few timers. The ` +
      'figures are the CPU time of the whole process in each second, and its resident set. All processes run at the ' +
      'same time.',
  }),

  async run(contenders, settings, progress) {
    const compared = [
      ...contenders.filter(({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival'),
      empty,
    ]
    const children = compared.map(({ id }) => startChild('few.mjs', id === empty.id ? [] : [id]))
    try {
      progress.show('few: settling')
      await Promise.all(children.map((child) => nextMessage(child)))
      await sleep(settling * 1000)
      const turns = settings.turns ?? 7
      /** @type {Record<string, number>[][]} */
      const samples = children.map(() => [])
      for (let turn = 1; turn <= turns; turn++) {
        progress.show(`few: turn ${turn} of ${turns}`)
        const before = await Promise.all(children.map((child) => ask(child, 'counts')))
        await sleep(seconds * 1000)
        const after = await Promise.all(children.map((child) => ask(child, 'counts')))
        for (const [i, { cpu, resident }] of after.entries()) {
          samples[i].push({ cpu: (cpu - before[i].cpu) / 1000 / seconds, memory: resident / 1e6 })
        }
      }
      return compared.map((contender, i) => toRow(contender, samples[i]))
    } finally {
      for (const child of children) child.disconnect()
    }
  },
}
