import { formatCount } from '../../report/format.mjs'
import { contendersOf } from '../contenders.mjs'
import { cheaper, measureInTurn } from '../part.mjs'
import { privateMemory } from '../processes.mjs'

/** @type {import('../part.mjs').Part} */
export default {
  name: 'hold',
  metrics: [{ key: 'bytes', label: 'process', unit: 'bytes' }],

  describe: ({ timers }) => ({
    title: `In pages: memory per pending timer, ${formatCount(timers)} pending`,
    note:
      `How much the private resident memory of the page's process grows when ${formatCount(timers)} timers of 60 s are set, ` +
      'with the wheel and its WebAssembly. The timers share one callback, and the page keeps no handles. Each contender ' +
      'and turn has a new browser. The process is measured because native timers lie outside the JavaScript heap. Garbage ' +
      'is collected before each reading in Chromium and Firefox; WebKitGTK has no command for it.',
  }),

  measure: (theatre, settings, progress) =>
    measureInTurn(
      contendersOf(theatre.engine, 'window', ['native', 'handles', 'numbers']),
      { name: `${theatre.engine}: hold`, turns: settings.turns ?? 7, progress },
      async ({ name }) => {
        const { stage, pid } = await theatre.freshStage()
        try {
          await stage.runWithout(name, 'collectGarbage')
          const before = privateMemory(pid)
          await stage.run(name, 'hold', { count: settings.timers, batch: 10_000, delay: 60_000 })
          await stage.runWithout(name, 'collectGarbage')
          return { bytes: (privateMemory(pid) - before) / settings.timers }
        } finally {
          await stage.close()
        }
      },
    ),

  bars: (rows) => cheaper(rows, 'bytes', 3, 'memory'),
}
