/** Changes whether a live unit keeps the event loop alive. Not in kernel.ts, so that a page whose timers cannot do so does not load it. */
import { UNREFERENCED as IS_UNREFERENCED } from '../common/constants.js'
import { HELD, IN_SLICE, KEEPS_LOOP_ALIVE, REFERENCED, UNREFERENCED } from '../memory/layout.js'
import type { Kernel } from './kernel.js'
import type { Target } from './target.js'

// An interruption changes all or nothing: no call is between the stores.

export function reference({ _core }: Kernel, target: Target): void {
  const { words } = _core
  target._state &= ~IS_UNREFERENCED
  words[UNREFERENCED]!--
  words[REFERENCED]!++
  if (words[HELD]! < KEEPS_LOOP_ALIVE) _core._hold()
}

export function unreference({ _core }: Kernel, target: Target): void {
  const { words } = _core
  target._state |= IS_UNREFERENCED
  words[UNREFERENCED]!++
  if (--words[REFERENCED]! === 0 && !words[IN_SLICE]) _core._release()
}
