/** The members of a group on workerd. Each has a timer of the host, which belongs to the request that adds or touches it: see request-timers.ts. */
import type { Owner } from '../kernel/target.js'
import type { GroupKernel } from '../wheel/group.js'
import type { Countdown, StartCountdown } from '../wheel/timeout-signal.js'

let lastMember = 0

/** Makes the kernel of one group. A unit is the number of a member here. */
export function groupKernelOn(start: StartCountdown): GroupKernel {
  const members = new Map<
    number,
    { readonly owner: Owner; readonly item: unknown; readonly timer: Countdown }
  >()

  function end(owner: Owner, unit: number): void {
    members.get(unit)!.timer._clear()
    members.delete(unit)
    owner._size--
  }
  return {
    _stopped: false,
    _isUnref: false,
    _settle() {},
    _unitOf: (number) => (members.has(number) ? number : 0),
    _numberOf: (unit) => unit,
    _ownerOf: (unit) => members.get(unit)!.owner,
    _targetOf: (unit) => members.get(unit)!.item,
    _move: (unit, delay) => members.get(unit)!.timer._refresh(delay),
    _owned: {
      _set(owner, item, delay) {
        const unit = ++lastMember
        const expire = (): void => {
          end(owner, unit)
          owner._expire(item)
        }
        members.set(unit, { owner, item, timer: start(expire, delay, undefined, false) })
        owner._size++
        return unit
      },
      _end: end,
      _unitsOf: () => members.keys(),
    },
  }
}
