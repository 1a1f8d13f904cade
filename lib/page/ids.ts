/**
 * The ids of `schedule`: numbers that no other timer ever has, on this wheel or another, made as in lib/ids.ts.
 *
 *   id = uses * 2^27 + number of the block among those of all wheels * 2^13 + record within the block
 *
 * A wheel claims a number for each of its blocks when it first gives out an id there. When the wheel is done with it,
 * the number goes to another wheel, and its uses go on where they stood.
 */
import { exhausted } from '../errors.js'
import { BASE_BLOCKS, BLOCK_SHIFT, DEADLINE, GENERATION, NEVER, RECORD_MASK } from '../memory.js'
import { type Held, MAX_USES, type Scheduler } from './scheduler.js'

const MAX_NUMBERS = 2 ** 14
const STEP = 2 ** 27

interface Claim {
  readonly _held: Held
  readonly _block: number
  /** What is added to the uses of the wheel's records. */
  readonly _base: number
}

const claims: (Claim | undefined)[] = []
/** Numbers given back, each with the first uses that were not had under it. */
const released: [number: number, base: number][] = []

function giveBack(held: Held): void {
  for (const number of held._numbers.splice(0)) {
    // None was claimed for that block.
    if (number === undefined) continue
    const base = claims[number]!._base + held._uses + 1
    claims[number] = undefined
    // The sum of both must stay below 2^26.
    if (base < MAX_USES) released.push([number, base])
  }
}

const collected = /* @__PURE__ */ new FinalizationRegistry(giveBack)

/** Lets a wheel have ids: until it is stopped or collected. */
export function claimsOf(wheel: object, scheduler: Scheduler): void {
  const { _held } = scheduler
  collected.register(wheel, _held, _held)
  scheduler._onStop = () => {
    collected.unregister(_held)
    giveBack(_held)
  }
}

/** The id of a timer that has been set. @throws RangeError where none of the 16,384 numbers is free */
export function idOf(scheduler: Scheduler, unit: number): number {
  const { _held } = scheduler
  const block = (unit >>> BLOCK_SHIFT) - BASE_BLOCKS
  let number = _held._numbers[block]
  if (number === undefined) {
    const [reused, _base] = released.pop() ?? [claims.length, 1]
    if (reused >= MAX_NUMBERS) {
      scheduler._release(unit)
      throw exhausted('ids')
    }
    number = _held._numbers[block] = reused
    claims[number] = { _held, _block: block, _base }
  }
  return (
    (scheduler._words[(unit << 2) | GENERATION]! + claims[number]!._base) * STEP +
    (number << BLOCK_SHIFT) +
    (unit & RECORD_MASK)
  )
}

/** The record of a pending timer's id, or 0: the id is stale, or another wheel's, or none. */
export function unitOfId(scheduler: Scheduler, id: number): number {
  // Of whatever number this is: the whole is compared below.
  const place = id & (STEP - 1)
  const claim = claims[place >>> BLOCK_SHIFT]
  if (claim?._held !== scheduler._held) return 0
  const unit = ((claim._block + BASE_BLOCKS) << BLOCK_SHIFT) + (place & RECORD_MASK)
  // Not a handle's: those have no ids of this kind.
  return scheduler._words[(unit << 2) | DEADLINE] !== NEVER &&
    typeof scheduler._occupant(unit) === 'function' &&
    idOf(scheduler, unit) === id
    ? unit
    : 0
}
