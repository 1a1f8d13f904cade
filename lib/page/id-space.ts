/**
 * The ids of `schedule`: numbers that no other timer ever has, on this wheel or another.
 *
 *   bits   51 ... 32             31   30 ... 27              26 ... 13             12 ... 0
 *          uses, its upper bits   1   uses, its lower bits   number of the block   record within the block
 *
 * Blocks are numbered among the blocks of all wheels. Bit 31 keeps ids apart from the page's timers: see handle-numbers.ts.
 * A wheel claims a number for a block when it first returns an id there. When the wheel gives the number back, another wheel
 * can claim it, and continues its count of uses.
 */
import { exhausted } from '../common/errors.js'
import { BLOCK_SHIFT, GENERATION, RECORD_MASK } from '../memory/layout.js'
import { MAX_NUMBERS, MAX_USES } from './constants.js'
import type { ClaimedNumbers, Scheduler } from './scheduler-types.js'

const LOCATOR_MASK = 2 ** 27 - 1

interface Claim {
  /** Undefined: the number was given back. */
  readonly _claims?: ClaimedNumbers
  readonly _block?: number
  /** Added to the uses of the wheel's records. In a number given back: the first sum that none of its ids has had. */
  readonly _base: number
  /** The number given back before this one. */
  readonly _next?: number | undefined
}

const claims: Claim[] = []
/** The number given back last. */
let free: number | undefined

/** Gives back all numbers. Calls nothing, so that an interruption is possible only between two numbers. */
function giveBack(held: ClaimedNumbers): void {
  const { _numbers } = held
  for (; _numbers.length; _numbers.length--) {
    const number = _numbers[_numbers.length - 1]
    // No number was claimed for that block.
    if (number === undefined) continue
    const _base = claims[number]!._base + held._uses + 1
    claims[number] = { _base, _next: free }
    // The sum of base and uses must stay below 2^24.
    if (_base < MAX_USES) free = number
  }
  held._uses = 0
}

const collected = /* @__PURE__ */ new FinalizationRegistry(giveBack)

/** Lets a wheel claim numbers for ids until it is stopped or collected. */
export function claimsOf(scheduler: Scheduler): void {
  const claims = { _numbers: [], _uses: 0 }
  scheduler._claims = claims
  collected.register(scheduler, claims)
  scheduler._giveBack = () => giveBack(claims)
}

/** Returns the id of a pending timer. @throws RangeError if none of the 16,384 numbers is free */
export function idOf(scheduler: Scheduler, unit: number): number {
  const _claims = scheduler._claims!
  const block = unit >>> BLOCK_SHIFT
  let number = _claims._numbers[block]
  if (number === undefined) {
    number = free ?? claims.length
    if (number >= MAX_NUMBERS) {
      scheduler._cancel(unit)
      throw exhausted('ids')
    }
    // No calls from here on.
    const former = claims[number]
    free = former?._next
    claims[number] = { _claims, _block: block, _base: former?._base ?? 1 }
    _claims._numbers[block] = number
  }
  const ended = scheduler._words()[(unit << 2) | GENERATION]!
  if (ended > _claims._uses) _claims._uses = ended
  const uses = ended + claims[number]!._base
  const low = (1 << 31) | (uses << 27) | (number << BLOCK_SHIFT) | (unit & RECORD_MASK)
  return (uses >> 4) * 2 ** 32 + (low >>> 0)
}

/** Returns the record of a pending timer's id; 0: the id is stale, of another wheel, or was never given. */
export function unitOfId(scheduler: Scheduler, id: number): number {
  // The last comparison checks the whole id, because the id can be any number.
  const locator = id & LOCATOR_MASK
  const claim = claims[locator >>> BLOCK_SHIFT]
  if (claim?._claims !== scheduler._claims) return 0
  const unit = (claim._block! << BLOCK_SHIFT) + (locator & RECORD_MASK)
  // The target of a pending timer with an id is a function.
  return typeof scheduler._targetOf(unit) === 'function' && idOf(scheduler, unit) === id ? unit : 0
}
