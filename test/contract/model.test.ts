/** Wheels do what a sorted list does: see model-program.ts. */
import { it } from '@jest/globals'
import { scaled } from '../scale.js'
import { onEachBackend } from './backends.js'
import { MASKS, maskedBy } from './masks.js'
import { runProgram } from './model-program.js'
import { forEachSeed } from './random.js'

const PROGRAMS = scaled(10, 200)
/**
 * Start times of programs: `before` milliseconds before 2^`bits`, just before the ends of the levels' spans, of the tick range, and of
 * signed tick differences. The last one leaves room for a program before 2^53 ms, the largest exact integer of a double. Only one
 * program starts there, and only in the large run, because reaching that time takes seconds.
 */
const CLOCKS = [
  { bits: 0, before: 1, programs: PROGRAMS },
  ...[8, 9, 16, 17, 24, 25, 31, 32, 33, 36, 42].map((bits) => ({ bits, before: 3, programs: scaled(1, 20) })),
  { bits: 53, before: 2 ** 41, programs: scaled(0, 1) },
].filter(({ programs }) => programs > 0)

onEachBackend((backend) => {
  it.each(CLOCKS)(
    'runs $programs random programs like a sorted list, on a clock that starts $before ms before 2^$bits ms',
    ({ bits, before, programs }) => {
      forEachSeed(programs, (seed) => runProgram(backend, seed, 2 ** bits - before))
    },
  )

  it.each(MASKS)('agrees with the list through %s', (_, maskOf) => {
    forEachSeed(1, (seed) => runProgram(maskedBy(backend, maskOf), seed))
  })
})
