/**
 * The clock and the timers of the moment, for `timeout-wheel/testing`: those of a test tool while it fakes `setTimeout`, else those of the
 * host. Each call looks at the globals, because a tool replaces them at any time.
 */
import { isNodeMock } from '../../common/patch-globals.js'
import type { Host } from './node-host.js'
import { singleton } from './singletons.js'

export interface Source {
  /** Another object if another tool has begun, or if the tool has dropped its timers. Undefined: time is the host's. */
  readonly tool?: object
  /**
   * Whether the tool moves its clock to the end of a longer time before it runs the timers within. `node:test` does. It takes negative
   * delays, and comes to such timers in their order.
   */
  readonly isAhead?: boolean
  /** Milliseconds. */
  now(): number
  readonly timers: Pick<Host, 'setTimeout' | 'clearTimeout'>
}

/** The clock of `@sinonjs/fake-timers`, which Jest, Vitest and sinon use. Its functions have it as a property. */
interface FakeClock {
  readonly now: number
  /** Does not follow `setSystemTime`, which moves no timers. */
  readonly performance?: { now(): number }
  /** The names of the functions that it fakes; empty when it has ended. */
  readonly methods?: readonly string[]
  /** Missing before the first timer, and replaced when all are dropped. */
  readonly timers?: object
  setTimeout(callback: () => void, delay: number): unknown
  clearTimeout(timer: unknown): void
}

type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>

const NO_LEGACY =
  "timeout-wheel/testing cannot follow Jest's legacy fake timers. Call jest.useFakeTimers() without legacyFakeTimers"
const NO_DATE =
  'timeout-wheel/testing cannot follow mock.timers of node:test, because it fakes setTimeout without Date. Enable both: ' +
  "mock.timers.enable({ apis: ['setTimeout', 'Date'] })"

const warnOnce = (host: Host, message: string): void =>
  singleton(message, () => host.warn(message, 'TimeoutWheelWarning'))

/** The value of a function's own property. When a test file has ended, Jest puts accessors there, which must not be called. */
const ownValue = (fn: unknown, key: string): unknown =>
  typeof fn === 'function' ? Object.getOwnPropertyDescriptor(fn, key)?.value : undefined

/** The clock that fakes `setTimeout`. If a program spies on the fake `setTimeout`, only `clearTimeout` leads to the clock. */
const clockOf = ({ setTimeout, clearTimeout }: Partial<Timers>): FakeClock | undefined =>
  [setTimeout, clearTimeout]
    .map((fn) => ownValue(fn, 'clock') as FakeClock | undefined)
    .find((clock) => clock?.methods?.includes('setTimeout'))

/** Whether Jest's legacy fake timers are on. They replace `process.nextTick` too, which a program that spies on timers leaves alone. */
const isLegacy = (setTimeout: unknown): boolean =>
  ownValue(setTimeout, '_isMockFunction') === true && ownValue(process.nextTick, '_isMockFunction') === true

/** @param own our own `setTimeout`, which `timeout-wheel/register` makes a global */
export function presentSource(host: Host, own: unknown): Source {
  const timers = globalThis as Source['timers']
  const { Date: day, setTimeout } = globalThis as typeof globalThis & { Date: { readonly isMock?: boolean } }
  const clock = clockOf(globalThis)
  if (clock !== undefined) {
    if (clock.timers === undefined) clock.clearTimeout(clock.setTimeout(() => {}, 0))
    return { tool: clock.timers ?? clock, now: () => clock.performance?.now() ?? clock.now, timers }
  }
  if (isNodeMock(setTimeout)) {
    if (day.isMock === true) return { tool: day, isAhead: true, now: day.now, timers }
    warnOnce(host, NO_DATE)
  }
  if (isLegacy(setTimeout)) warnOnce(host, NO_LEGACY)
  // The functions that `mock.timers` hid when the package was loaded are the globals once it has ended.
  return { now: host.now, timers: host.isHidden && setTimeout !== own ? timers : host }
}
