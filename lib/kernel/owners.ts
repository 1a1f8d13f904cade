/**
 * Units of owners, which are groups. An owner has whole spans of units. So the span of a unit tells its owner, and a unit needs no memory
 * for that. The functions are not in kernel.ts, so that a page without groups does not load them.
 */
import { BLOCK_SHIFT, INDEX_MASK, LIVE_BIT } from '../memory/layout.js'
import { LAST_STATE, SPAN, SPAN_SHIFT } from './constants.js'
import { type Kernel, stateOf } from './kernel.js'
import type { Owned, OwnedUnits, Owner } from './target.js'

/** The units of owners of a wheel. @param kernel a whole one, unless it has them already */
export const ownedOf = (kernel: { _owned: OwnedUnits | undefined }): OwnedUnits =>
  (kernel._owned ??= openOwned(kernel as Kernel))

function openOwned(kernel: Kernel): Owned {
  const { _targets: targets, _core: core, _unitOf: unitOf, _set, _end, _checkRoom } = kernel
  /** The owner of each span. */
  const bySpan: (Owner | undefined)[] = []
  /** Spans without an owner. */
  const spares: number[] = []
  /** An owner without live units, whose span is still its own. */
  let idle: Owner | undefined

  function set(owner: Owner, item: unknown, delay: number): number {
    if (owner._free === 0) {
      _checkRoom()
      takeSpan(owner)
    }
    return _set(item, delay, owner._isReferenced, owner)
  }

  function end(owner: Owner, unit: number): void {
    _end(unit, owner._isReferenced, owner)
    if (owner._size === 0) rest(owner)
  }

  function find(owner: Owner, number: number): number {
    const unit = unitOf(number)
    return unit !== 0 && bySpan[unit >>> SPAN_SHIFT] === owner ? unit : 0
  }

  /** Gives a span without an owner to an owner that has no free unit. */
  function takeSpan(owner: Owner): void {
    let span = spares.pop()
    if (span === undefined) {
      let unit = kernel._unused()
      // The units before the next whole span are for other timers.
      for (; (unit & (SPAN - 1)) !== 0; unit = kernel._unused()) kernel._give(unit)
      span = unit
      for (let i = 1; i < SPAN; i++) kernel._unused()
    }
    bySpan[span >>> SPAN_SHIFT] = owner
    owner._spans.push(span)
    owner._free = threaded(span, 0)
    if (owner._free === 0) takeSpan(owner)
  }

  /** Makes a list of the units of a span that can be used. Returns the first one. @param last what follows the list */
  function threaded(span: number, last: number): number {
    const cells = targets[span >>> BLOCK_SHIFT]!
    let first = last
    for (let unit = span + SPAN - 1; unit >= span; unit--) {
      const canBeUsed = core.words[stateOf(unit)]! < LAST_STATE
      cells[unit & INDEX_MASK] = canBeUsed ? first : 0
      if (canBeUsed) first = unit
    }
    return first
  }

  function takeSpare(): number {
    const spare = spares.pop()
    return spare === undefined ? 0 : threaded(spare, 0) || takeSpare()
  }

  /**
   * An owner has no live units any more. It gives back its spans, except one that it will need if it goes on. The owner to which this
   * happened before gives back that one too, if it still has no live units.
   */
  function rest(owner: Owner): void {
    if (idle !== owner && idle?._size === 0) giveBack(idle, 0)
    idle = owner
    giveBack(owner, 1)
  }

  function giveBack(owner: Owner, kept: number): void {
    const { _spans: spans } = owner
    if (spans.length === kept) return
    // First: if the call is interrupted, no unit of a spare span is the owner's.
    owner._free = 0
    for (const span of spans.splice(kept)) {
      bySpan[span >>> SPAN_SHIFT] = undefined
      spares.push(span)
    }
    if (kept > 0) owner._free = threaded(spans[0]!, 0)
  }

  function* unitsOf(owner: Owner): Generator<number> {
    for (const span of owner._spans) {
      for (let unit = span; unit < span + SPAN && bySpan[unit >>> SPAN_SHIFT] === owner; unit++) {
        if ((core.words[stateOf(unit)]! & LIVE_BIT) !== 0) yield unit
      }
    }
  }

  return { _bySpan: bySpan, _set: set, _find: find, _end: end, _takeSpare: takeSpare, _unitsOf: unitsOf }
}
