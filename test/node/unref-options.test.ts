/**
 * One rule for all features decides whether a timer keeps the process alive: what was said for the timer itself, if anything was;
 * otherwise the option `unref` of its wheel. Signals and maps say `unref: true` if the program says nothing.
 */
import { describe } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { printsInOneProcess } from './prints.js'

const METHODS = ['.unref()', '.ref()'] as const
const UNREF = ['{ unref: true }', '{ unref: false }'] as const
const REF = ['{ ref: false }', '{ ref: true }'] as const

/** How each feature sets a timer with an option, and the options that let the process end and keep it alive. */
const FEATURES: [name: string, set: (option: string) => string, options: readonly [string, string]][] = [
  ['handle', (option) => `wheel.setTimeout(() => {}, MINUTE)${option}`, METHODS],
  ['interval', (option) => `wheel.setInterval(function () { this.close() }, MINUTE)${option}`, METHODS],
  ['group', (option) => `wheel.group(() => {}, MINUTE, ${option}).add(1)`, UNREF],
  ['map', (option) => `new TimeoutMap({ ttl: MINUTE, wheel, ...${option || '{}'} }).set('a', 1)`, UNREF],
  ['signal', (option) => `wheel.signal(MINUTE, ${option})`, UNREF],
  ['promise', (option) => `wheel.promises.setTimeout(MINUTE, 0, ${option || undefined})`, REF],
  [
    'interval of a promise',
    (option) =>
      `(async () => { for await (const _ of wheel.promises.setInterval(MINUTE, 0, ${option || undefined})) break })()`,
    REF,
  ],
]

describe.each(ENTRIES)('%s', (entry) => {
  const it = printsInOneProcess({
    prelude: `
      import { TimeoutMap, TimerWheel } from '${entry}'
      const MINUTE = 60_000
      let started = performance.now()`,
    after: `
      console.log(performance.now() - started >= MINUTE ? 'late' : 'soon', process.exitCode)
      started = performance.now()`,
    env: virtualClock(),
  })

  for (const isUnref of [true, false]) {
    const wheel = `const wheel = new TimerWheel({ unref: ${isUnref} })`
    /** Whether a timer lets the process end if nothing is said for it. */
    const ends = (name: string): boolean => isUnref || name === 'map' || name === 'signal'
    const ending = FEATURES.map(([name, set, [option]]) => `${set(option)};${ends(name) ? set('') : ''};`)

    it(`lets the process end if all timers on a wheel with unref: ${isUnref} say so`, 'soon undefined')`
      ${wheel};
      ${ending.join('')}
    `

    for (const [name, set, [, keeps]] of FEATURES) {
      it(
        `keeps the process alive if a ${name} on a wheel with unref: ${isUnref} says so`,
        'late undefined',
      )`${wheel};\n${set(keeps)}`
      if (!ends(name))
        it(`keeps the process alive on a usual wheel: ${name}`, 'late undefined')`${wheel};\n${set('')}`
    }
  }
})
