import { promisify } from 'node:util'
import { atLeastTimes, builds } from '../runner/bars.mjs'
import { cpuEach } from '../runner/inside.mjs'

const WAIT = 'await setTimeout(ms) of timers/promises'

export default {
  name: 'promises',
  title: WAIT,
  note:
    'CPU time of the whole process for each wait, until the waiting function continues. 1,000 functions wait 40 times for 1 ms, ' +
    'without and with a signal. The promise and the function alone, without a timer, take about half of the native figure.',
  metrics: [
    { key: 'plain', label: 'await', unit: 'ns' },
    { key: 'signal', label: 'with a signal', unit: 'ns' },
  ],
  bars: [
    atLeastTimes(1.5, WAIT, 'plain', 'addon-handles'),
    atLeastTimes(1.5, `${WAIT}, with a signal`, 'signal', 'addon-handles'),
  ],
  subjects: [
    { id: 'native', label: 'native setTimeout', group: 'native', subject: 'node:timers' },
    ...builds('handles', 'setTimeout'),
  ],
  turns: { short: 3, full: 7 },
  measure: (call) => call('measureWaits'),
}

/** Functions that wait at the same time, and the number of waits of each. */
const sleepers = 1_000
const waits = 40
/** Code is compiled in the rounds that are not measured. */
const settling = 3

export async function measureWaits(subject) {
  const setTimeout = promisify((await import(subject)).setTimeout)
  const sleepInLoop = async () => {
    for (let i = 0; i < waits; i++) await setTimeout(1)
  }
  const sleepInLoopWith = async (signal) => {
    for (let i = 0; i < waits; i++) await setTimeout(1, undefined, { signal })
  }

  const together = (wait) => () => Promise.all(Array.from({ length: sleepers }, wait))
  const prepare = () => Array.from({ length: sleepers }, () => new AbortController().signal)
  const withSignals = (signals) => Promise.all(signals.map(sleepInLoopWith))
  return {
    plain: await cpuEach(sleepers * waits, together(sleepInLoop), { settling }),
    signal: await cpuEach(sleepers * waits, withSignals, { settling, prepare }),
  }
}
