/** The kernel on WebAssembly beside a list that is searched, in random programs with a clock that moves between operations. */
import { expect, it } from '@jest/globals'
import { callbacksOf } from '../../lib/kernel/callbacks.js'
import { isDue, type Kernel, openKernel } from '../../lib/kernel/kernel.js'
import { ownedOf } from '../../lib/kernel/owners.js'
import { reference, unreference } from '../../lib/kernel/references.js'
import { stop } from '../../lib/kernel/stop.js'
import type { Owner, Target } from '../../lib/kernel/target.js'
import { orderOf, unitsOf } from '../../lib/kernel/units.js'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import {
  HELD,
  KEEPS_LOOP_ALIVE,
  RECORDS_PER_BLOCK,
  REFERENCED,
  RETAINED,
  UNITS_PER_BLOCK,
  UNREFERENCED,
} from '../../lib/memory/layout.js'
import { wasmCores } from '../../lib/memory/wasm-core.js'
import { limit } from '../../lib/wheel/limit.js'
import { forEachSeed, randomFrom } from '../contract/random.js'
import { after } from '../contract/sorted-list.js'
import { scaled } from '../scale.js'

const PROGRAMS = scaled(12, 400)
const STEPS = 200
/** The numbers of timers that programs have at most. */
const MANY = [4, 30, 200]
/** Before the ends of spans of the wheel, and late. A wheel tells no ticks apart after 2^53, and no program gets there. */
const STARTS = [0, 1e9, 2 ** 32 - 500, 2 ** 40, 2 ** 48]
const END = 2 ** 50
const TICKS = [1, 1, 0.25, 0.3, 10]
const KINDS = ['callback', 'handle', 'interval', 'staying', 'member'] as const
const FORGED = [0, -1, 0.5, 1e300, 2 ** 31, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]
const THROWN = new Error('thrown by a callback')
const nothing = () => {}
const NO_DRIVER = { _applied: nothing, _close: nothing }

interface Timer {
  readonly kind: (typeof KINDS)[number]
  readonly owner: Owner | undefined
  readonly argument: unknown
  unit: number
  number: number
  ms: number
  isReferenced: boolean
  /** The last operation, and whether it was carried out. Then the other fields are known. */
  operation: number
  isApplied: boolean
  due: number
  tick: number
  order: number
  /** It was moved to a time that had passed: it runs soon, in any order. */
  isPast: boolean
  runs: number
}

const openWasm = wasmCores(instantiateWasm)

/** Fails with few calls: one `expect` takes as long as 100 of them. */
function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what)
}

function runProgram(seed: number): void {
  const random = randomFrom(seed)
  const { below } = random
  const tick = random.pick(TICKS)
  const maxPending = random.pick([20, 40_000, Number.POSITIVE_INFINITY])
  const most = random.pick(MANY)
  let now = random.pick(STARTS) + below(1000) / 8
  const delays = [() => below(20), () => below(8000) / 8, () => 2 ** below(52), () => 250]
  const someDelay = () => random.pick(delays)()

  /** All timers that are pending, and the interval whose callback runs. */
  const pending = new Set<Timer>()
  let running: Timer | undefined
  let queued: { timer: Timer; operation: number; time: number; isDueTime: boolean }[] = []
  const numbers = new Set<number>()
  /** The last due time that any timer has had in a tick. */
  const latest = new Map<number, number>()
  let [operations, cancelled, target] = [0, 0, 0]

  const core = openWasm(tick, {
    ...NO_DRIVER,
    _now() {
      for (const { timer, operation, time, isDueTime } of queued) {
        const due = isDueTime ? Math.max(0, time) : after(now, time)
        const at = Math.floor(due * (1 / tick))
        latest.set(at, Math.max(due, latest.get(at) ?? 0))
        if (timer.operation === operation)
          Object.assign(timer, { due, tick: at, order: operation, isApplied: true, isPast: due <= now })
      }
      queued = []
      return now
    },
    _hold: () => (core.words[HELD] = core.words[REFERENCED]! > 0 ? KEEPS_LOOP_ALIVE : RETAINED),
    _release: () => (core.words[HELD] = RETAINED),
  })
  const kernel: Kernel = openKernel(core, { tick, unref: false })
  limit(kernel, maxPending, '')

  function enqueue(timer: Timer, time: number, isDueTime = false): void {
    timer.operation = ++operations
    timer.isApplied = false
    queued.push({
      timer,
      operation: operations,
      time: time || (isDueTime ? 0 : Math.min(tick, 1)),
      isDueTime,
    })
  }

  // ---- runs

  function begin(timer: Timer): void {
    check(pending.has(timer) && timer.isApplied, 'it is pending')
    check(timer.due <= target, `it is due: ${timer.due} at ${target}`)
    for (const other of pending) {
      if (timer.isPast || other.isPast || !other.isApplied || other === running) continue
      check(
        timer.tick < other.tick || (timer.tick === other.tick && timer.order <= other.order),
        'it is the first',
      )
    }
    timer.runs++
  }
  function react(): void {
    if (below(3) === 0) act()
    const isKept = running !== undefined && pending.has(running)
    check(kernel._pending() === pending.size - Number(isKept), 'an interval is not pending while it runs')
    if (below(20) === 0) now += below(8) / 8
    if (below(20) === 0) throw THROWN
  }
  function ran(timer: Timer): void {
    begin(timer)
    pending.delete(timer)
    timer.operation = timer.unit = 0
    react()
  }
  function targetOf(timer: Timer): Target {
    const fields = { _state: 0, _cancel() {}, _forget() {}, _shown: undefined }
    const expire = {
      handle(unit: number) {
        kernel._end(unit, timer.isReferenced)
        ran(timer)
      },
      interval(unit: number) {
        begin(timer)
        const started = now
        kernel._keep(unit)
        running = timer
        try {
          react()
          if (timer.runs > 4 && pending.has(timer)) end(timer)
        } finally {
          running = undefined
          if (pending.has(timer)) {
            kernel._ran()
            enqueue(timer, started + timer.ms, true)
            kernel._moveTo(unit, started + timer.ms)
          }
        }
      },
      staying() {
        begin(timer)
        kernel._stay()
        kernel._again++
        if (timer.runs % 3 === 0) move(timer)
        else if (timer.runs > 10) end(timer)
        react()
      },
    }
    return { ...fields, _expire: expire[timer.kind as 'handle'] }
  }
  const owners = [true, false, true].map(
    (_isReferenced): Owner => ({
      ...{ _free: 0, _spans: [], _size: 0, _isReferenced },
      _expire: (item) => (item as () => void)(),
      _forget() {},
      _shownOf: () => undefined as never,
    }),
  )

  // ---- operations

  function set(): void {
    const kind = random.pick(KINDS)
    const owner = kind === 'member' ? random.pick(owners) : undefined
    const isReferenced = owner?._isReferenced ?? (kind === 'callback' || below(3) > 0)
    const ms = kind === 'interval' ? 1 + someDelay() : someDelay()
    const timer: Timer = {
      ...{
        kind,
        owner,
        argument: random.pick([undefined, ms]),
        unit: 0,
        number: 0,
        ms,
        isReferenced,
        operation: 0,
        isApplied: false,
      },
      ...{ due: 0, tick: 0, order: 0, isPast: false, runs: 0 },
    }
    const callback = (argument: unknown) => {
      check(argument === timer.argument, 'it gets its argument')
      ran(timer)
    }
    const call = () => {
      if (owner) return ownedOf(kernel)._set(owner, () => ran(timer), ms)
      if (kind === 'callback') return callbacksOf(kernel)._schedule(callback, ms, timer.argument)
      return kernel._set(targetOf(timer), ms, isReferenced)
    }
    if (pending.size >= maxPending) return expect(call).toThrow('maxPending')
    enqueue(timer, ms)
    timer.unit = call()
    pending.add(timer)
    timer.number = kernel._numberOf(timer.unit)
    check(!numbers.has(timer.number) && timer.number >= 2 ** 31, 'no timer has had the number')
    numbers.add(timer.number)
  }
  function move(timer: Timer): void {
    timer.ms = timer.kind === 'interval' ? 1 + someDelay() : someDelay()
    enqueue(timer, timer.ms)
    kernel._move(timer.unit, timer.ms)
  }
  function moveTo(timer: Timer): void {
    const due = Math.max(0, now + below(10) - 3)
    enqueue(timer, due, true)
    kernel._moveTo(timer.unit, due)
  }
  function end(timer: Timer): void {
    if (timer.owner) ownedOf(kernel)._end(timer.owner, timer.unit)
    else if (timer.kind === 'callback')
      check(callbacksOf(kernel)._cancel(timer.unit) === timer.argument, 'the argument is returned')
    else kernel._end(timer.unit, timer.isReferenced)
    pending.delete(timer)
    timer.operation = timer.unit = 0
    cancelled++
    check(kernel._unitOf(timer.number) === 0, 'its number is no longer known')
  }
  /** Fills more than a block. */
  function fill(): void {
    const owner = random.pick([undefined, ...owners])
    const ms = someDelay()
    const count = Math.min(maxPending - pending.size, RECORDS_PER_BLOCK)
    const units = Array.from({ length: count }, () => {
      enqueue({ operation: 0 } as Timer, ms)
      return owner
        ? ownedOf(kernel)._set(owner, 0, ms)
        : callbacksOf(kernel)._schedule(nothing, ms, undefined)
    })
    for (const unit of units) owner ? ownedOf(kernel)._end(owner, unit) : callbacksOf(kernel)._cancel(unit)
    cancelled += count
  }
  function act(): void {
    const kind = below(20)
    const timer = random.pick([...pending])
    if (timer === undefined || (kind < 8 && pending.size < most)) return set()
    if (kind < 12) move(timer)
    else if (kind < 14) moveTo(timer)
    else if (kind < 17) end(timer)
    else if (kind < 18) look(timer)
    else if (timer.kind !== 'member' && timer.kind !== 'callback') {
      timer.isReferenced = !timer.isReferenced
      const target = kernel._targetOf(timer.unit) as Target
      if (timer.isReferenced) reference(kernel, target)
      else unreference(kernel, target)
    }
  }

  // ---- looks

  function look(timer: Timer): void {
    check(kernel._dueOf(timer.unit) === timer.due, 'its due time is known')
    check(kernel._unitOf(timer.number) === timer.unit, 'its number is known')
    check(kernel._ownerOf(timer.unit) === timer.owner, 'its owner is known')
    const near = timer.number + (below(17) - 8) * random.pick([1, 2 ** 16, 2 ** 26, 2 ** 31, 2 ** 32])
    const valid = new Set([...pending].map(({ number }) => number))
    for (const forged of [near, random.pick(FORGED), timer.number + 0.5, below(2 ** 32)])
      check(valid.has(forged) || kernel._unitOf(forged) === 0, `${forged} is unknown`)
    // The word of such a unit is not a state.
    const none = RECORDS_PER_BLOCK + below(UNITS_PER_BLOCK - RECORDS_PER_BLOCK)
    check(kernel._unitOf(kernel._numberOf(none)) === 0, 'a unit without a record is unknown')
  }
  function compare(): void {
    const { words } = core
    const referenced = [...pending].filter(({ isReferenced }) => isReferenced).length
    check(words[REFERENCED] === referenced, 'referenced timers are counted')
    check(words[UNREFERENCED] === pending.size - referenced, 'the others are counted')
    check(words[HELD]! >= (referenced > 0 ? KEEPS_LOOP_ALIVE : pending.size > 0 ? RETAINED : 0), 'it is held')
    const { _scheduled, _fired, _again } = kernel
    check(_scheduled + _again - _fired - pending.size === cancelled, 'all are counted')
  }
  function compareAll(): void {
    for (const owner of owners) {
      const members = [...pending].filter((timer) => timer.owner === owner)
      check(owner._size === members.length, 'members are counted')
      const found = [...ownedOf(kernel)._unitsOf(owner)]
      check(`${found.sort()}` === `${members.map(({ unit }) => unit).sort()}`, 'the owner finds its members')
    }
    const units = unitsOf(kernel).sort((a, b) => orderOf(kernel, a) - orderOf(kernel, b))
    const expected = [...pending].sort((a, b) => a.order - b.order).map(({ unit }) => unit)
    expect(units).toEqual(expected)
  }

  // ---- time

  /** Runs what is due. Returns whether a part is left for the next pass. */
  function pass(isRest: boolean): boolean {
    if (!isRest) {
      target = now
      core._expire()
    }
    const steps = below(4) === 0
    for (;;) {
      try {
        if (steps) {
          if (!kernel._step()) break
        } else {
          const unit = kernel._next()
          if (unit === 0 && !kernel._goOn()) break
          // As next ticks between two callbacks.
          if (unit !== 0 && below(8) === 0) act()
          if (unit !== 0 && isDue(kernel, unit)) kernel._run(unit)
        }
      } catch (error) {
        if (error !== THROWN) throw error
      }
      if (below(30) === 0) return kernel._hasDue()
    }
    for (const { isApplied, isPast, due, tick: at } of pending)
      check(!isApplied || isPast || due > target || latest.get(at)! > target, `${due} has run at ${target}`)
    return false
  }

  let isRest = false
  const fillsAt = below(2 * STEPS)
  for (let step = 0; step < STEPS; step++) {
    for (let i = below(30); i > 0; i--) act()
    if (step === fillsAt) fill()
    const wake = core._endTurn()
    compare()
    if (below(10) === 0) compareAll()
    const earliest = Math.min(...Array.from(pending, ({ due }) => due))
    check(isRest || wake <= Math.max(earliest, now) + tick, 'it wakes for the first timer')
    now = below(2) === 0 && wake < END ? Math.max(now, wake) : now + below(3000)
    isRest = pass(isRest)
    compare()
  }
  if (below(2) === 0) {
    for (const timer of [...pending]) end(timer)
    compare()
    while (isRest) isRest = pass(true)
    for (let left = 10_000; core._endTurn() < Number.POSITIVE_INFINITY; ) {
      check(left-- > 0, 'no wake-ups are left')
      now = Math.max(now, core._endTurn())
      pass(false)
    }
    // More than the core hands over at once.
    let count = 0
    const inOrder = (n: unknown) => check(n === count++, 'it runs in the order of the calls')
    for (let n = 0; n < Math.min(maxPending, 5000); n++) callbacksOf(kernel)._schedule(inOrder, 10, n)
    core._endTurn()
    now += 20
    core._expire()
    while (kernel._step());
    check(count === Math.min(maxPending, 5000), 'all have run')
  }
  stop(kernel)
  expect([kernel._pending(), kernel._next(), kernel._hasDue(), unitsOf(kernel)]).toEqual([0, 0, false, []])
}

it(`runs ${PROGRAMS} random programs like a list`, () => forEachSeed(PROGRAMS, runProgram))
