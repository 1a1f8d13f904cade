/** Changes whether a live unit keeps the event loop alive. Not in kernel.ts, so that a page whose timers cannot do so does not load it. */
import { HELD, KEEPS_LOOP_ALIVE, REFERENCED, UNREFERENCED } from '../memory/layout.js'
import type { Kernel } from './kernel.js'

export function reference({ _words, _core }: Kernel): void {
  const words = _words()
  words[UNREFERENCED]!--
  words[REFERENCED]!++
  if (words[HELD]! < KEEPS_LOOP_ALIVE) _core._hold()
}

export function unreference({ _words, _core }: Kernel): void {
  const words = _words()
  words[UNREFERENCED]!++
  if (--words[REFERENCED]! === 0) _core._release()
}
