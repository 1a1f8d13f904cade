import { contendersOf } from '../contenders.mjs'
import { measureInTurn } from '../part.mjs'

const options = { count: 50, every: 40 }

/** @type {import('../part.mjs').Part} */
export default {
  name: 'hidden',
  metrics: [
    { key: 'middle', label: 'late p50', unit: 'ms', digits: 1 },
    { key: 'latest', label: 'latest', unit: 'ms', digits: 1 },
  ],

  describe: () => ({
    title: 'In pages: lateness in a hidden tab',
    note:
      '50 timers are due, one every 40 ms, in a hidden tab. There Chromium and Firefox run timers about once a second. ' +
      'WebKit delays only nested timers, and these are not nested. "wheel, setTimeout" is woken by a timer of the page, ' +
      "driver 'worker' by a timer of a worker, which no browser delays.",
  }),

  async measure(theatre, settings, progress) {
    const stage = await theatre.stage({ hidden: true })
    const rows = await measureInTurn(
      contendersOf(theatre.engine, 'window', ['native', 'handles', 'worker']),
      { name: `${theatre.engine}: hidden`, turns: settings.turns ?? 7, warmUp: true, progress },
      async ({ name }) => {
        const { state, middle, latest } = await stage.run(name, 'lateness', options)
        if (state !== 'hidden') throw new Error(`the page is ${state}`)
        return { middle, latest }
      },
    )
    await stage.close()
    return rows
  },

  bars: () => [],
}
