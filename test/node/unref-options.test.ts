/**
 * One rule for all features decides whether a timer keeps the process alive: what was said for the timer itself, if anything was;
 * otherwise the option `unref` of its wheel. Signals and maps say `unref: true` if the program says nothing.
 */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { inOneProcess } from './one-process.js'

const MINUTE = 60_000

/** Sets a timer of each feature with an option, which is the text of an object or empty. */
const FEATURES = {
  handle: (option: string) => `wheel.setTimeout(() => {}, ${MINUTE})${option}`,
  interval: (option: string) => `wheel.setInterval(function () { this.close() }, ${MINUTE})${option}`,
  group: (option: string) => `wheel.group(() => {}, ${MINUTE}, ${option}).add(1)`,
  map: (option: string) => `new TimeoutMap({ ttl: ${MINUTE}, wheel, ...${option || '{}'} }).set('a', 1)`,
  signal: (option: string) => `wheel.signal(${MINUTE}, ${option})`,
  promise: (option: string) => `wheel.promises.setTimeout(${MINUTE}, 0, ${option || undefined})`,
  'interval of a promise': (option: string) =>
    `(async () => { for await (const _ of wheel.promises.setInterval(${MINUTE}, 0, ${option || undefined})) break })()`,
}

type Feature = keyof typeof FEATURES

/** What a feature says for a timer: that it lets the process end, and that it keeps it alive. */
const words = (feature: Feature): [unref: string, ref: string] => {
  if (feature === 'handle' || feature === 'interval') return ['.unref()', '.ref()']
  return /promise/.test(feature)
    ? ['{ ref: false }', '{ ref: true }']
    : ['{ unref: true }', '{ unref: false }']
}

const all = Object.keys(FEATURES) as Feature[]
/** The features whose timers keep the process alive on a usual wheel if nothing is said. */
const keeping: Feature[] = all.filter((feature) => feature !== 'map' && feature !== 'signal')

/** Sets timers on a new wheel. */
const program = (isUnref: boolean, statements: string[]): string =>
  [`const wheel = new TimerWheel({ unref: ${isUnref} })`, ...statements].join(';\n')

const ending = (isUnref: boolean): string => {
  const silent = all.filter((feature) => isUnref || !keeping.includes(feature))
  return program(isUnref, [
    ...all.map((feature) => FEATURES[feature](words(feature)[0])),
    ...silent.map((feature) => FEATURES[feature]('')),
  ])
}
const kept = (feature: Feature, isUnref: boolean): string =>
  program(isUnref, [FEATURES[feature](words(feature)[1])])
const keptInSilence = (feature: Feature): string => program(false, [FEATURES[feature]('')])

const WHEELS = [true, false]
const PAIRS = WHEELS.flatMap((isUnref) => all.map((feature) => [feature, isUnref] as const))

describe.each(ENTRIES)('%s', (entry) => {
  const lifeOf = inOneProcess({
    prelude: `
      import { TimeoutMap, TimerWheel } from '${entry}'
      let started = performance.now()`,
    programs: [
      ...WHEELS.map(ending),
      ...PAIRS.map(([feature, isUnref]) => kept(feature, isUnref)),
      ...keeping.map(keptInSilence),
    ],
    after: `
      console.log(performance.now() - started >= ${MINUTE} ? 'late' : 'soon', process.exitCode)
      started = performance.now()`,
    env: virtualClock(),
  })

  it.each(WHEELS)('lets the process end where it was said so, on a wheel with unref: %s', async (isUnref) => {
    expect(await lifeOf(ending(isUnref))).toEqual({ ...CLEAN, lines: ['soon undefined'] })
  })

  it.each(PAIRS)(
    'keeps the process alive where it was said so: %s, on a wheel with unref: %s',
    async (feature, isUnref) => {
      expect(await lifeOf(kept(feature, isUnref))).toEqual({ ...CLEAN, lines: ['late undefined'] })
    },
  )

  it.each(keeping)('keeps the process alive on a usual wheel if nothing was said: %s', async (feature) => {
    expect(await lifeOf(keptInSilence(feature))).toEqual({ ...CLEAN, lines: ['late undefined'] })
  })
})
