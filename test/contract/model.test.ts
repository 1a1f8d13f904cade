/** A wheel does what a sorted list does: see model-program.ts. */
import { scaled } from '../scale.js'
import { onEachBackend } from './backends.js'
import { runProgram } from './model-program.js'
import { forEachSeed } from './random.js'

const PROGRAMS = scaled(14, 240)
/**
 * Start times of programs, before the ends of the levels' spans and of integers of 32 bits. Virtual time ends at 2^53 ms, so the last one
 * leaves room for a program.
 */
const CLOCKS = [
  { bits: 0, before: 1, programs: PROGRAMS },
  ...[8, 16, 24, 31, 32, 40, 48].map((bits) => ({ bits, before: 3, programs: scaled(1, 20) })),
  { bits: 53, before: 2 ** 41, programs: scaled(1, 20) },
]

onEachBackend((backend) => {
  it.each(CLOCKS)(
    'runs $programs random programs like a sorted list, on a clock that starts $before ms before 2^$bits ms',
    ({ bits, before, programs }) =>
      forEachSeed(programs, (seed) => runProgram(backend, seed, 2 ** bits - before)),
  )
})
