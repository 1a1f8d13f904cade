/**
 * One rule for all features decides whether a timer keeps the process alive: what was said for the timer itself, if anything was;
 * otherwise the option `unref` of its wheel. Signals and maps say `unref: true` if the program says nothing.
 */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

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

describe.each(ENTRIES)('%s', (entry) => {
  const lifeOf = (isUnref: boolean, statements: string[]) =>
    run(
      `
      import { TimeoutMap, TimerWheel } from '${entry}'
      const wheel = new TimerWheel({ unref: ${isUnref} })
      const started = performance.now()
      process.on('exit', () => console.log(performance.now() - started >= ${MINUTE} ? 'late' : 'soon', process.exitCode))
      ;${statements.join(';\n')}
    `,
      [],
      virtualClock(),
    )

  it.each([true, false])(
    'lets the process end where it was said so, on a wheel with unref: %s',
    async (isUnref) => {
      const silent = all.filter((feature) => isUnref || !keeping.includes(feature))
      const statements = [
        ...all.map((feature) => FEATURES[feature](words(feature)[0])),
        ...silent.map((feature) => FEATURES[feature]('')),
      ]
      expect(await lifeOf(isUnref, statements)).toEqual({ ...CLEAN, lines: ['soon undefined'] })
    },
  )

  it.each([true, false].flatMap((isUnref) => all.map((feature) => [feature, isUnref] as const)))(
    'keeps the process alive where it was said so: %s, on a wheel with unref: %s',
    async (feature, isUnref) => {
      const statement = FEATURES[feature](words(feature)[1])
      expect(await lifeOf(isUnref, [statement])).toEqual({ ...CLEAN, lines: ['late undefined'] })
    },
  )

  it.each(keeping)('keeps the process alive on a usual wheel if nothing was said: %s', async (feature) => {
    expect(await lifeOf(false, [FEATURES[feature]('')])).toEqual({ ...CLEAN, lines: ['late undefined'] })
  })
})
