/**
 * The layout of one wheel's shared memory for JavaScript. native/core/layout.h and record.h describe it, with pictures.
 * {@link checkLayout} compares both sides when the addon is loaded. The WebAssembly module needs no comparison: one build
 * compiles it from the same headers and puts it into the JavaScript.
 */
import type { Views } from './core.js'

// Words of a record. A unit names a record: its offset in the memory in steps of 16 bytes. Its first word is `unit << 2`.
export const DEADLINE = 0
export const FILED = 1
export const ORDER_NUMBER = 2
export const GENERATION = 3

/** `DEADLINE` of a record that is free or cancelled. */
export const NEVER = -1
/** `FILED` of a record that has no entry in the wheel. */
export const NONE = -1
/** `FILED` of a record in the submissions. */
export const QUEUED = -2
/** The lowest of the three ticks that are states, not times. No timer is due at one of them. */
export const FIRST_STATE = -3

// Words of the control block.
export const ORDER = 2
export const EPOCH_END = 3
export const SUBMITTED = 4
export const EXPIRED = 5
export const UNFINISHED = 6
export const TICK = 7
export const WAKE = 8
export const ARMED = 9
export const REFERENCED = 10
export const UNREFERENCED = 11
export const HELD = 12
/** Values of `HELD` besides 0: the wheel is kept in memory, or the event loop is kept alive too. */
export const RETAINED = 1
export const KEEPS_LOOP_ALIVE = 2
export const NOW_CEIL = 13
export const INEXACT = 18
export const USED = 19
export const BUSY = 20
export const SPARE = 24
export const DISPATCHED = 25
/** Values of `DISPATCHED` at the end of a slice. */
export const DONE = 1
export const MORE = 2
export const SUBMISSIONS = 512
export const SUBMISSIONS_CAPACITY = 2048
export const EXPIRATIONS = 2560
export const EXPIRATIONS_CAPACITY = 4096
export const TOUCHED = 192
export const DEFERRED = 21
export const DELAYS = 320
/** Added to the unit in `TOUCHED` if the operation is deferred. */
export const DEFERRED_NOTE = 2 ** 30

// The same block, as 64-bit reals.
export const NOW = 0
export const LEAST_SLACK = 7
export const CLOSED = 8
export const SINCE = 11
export const FRACTION = 32

/** The number of operations that share one reading of the clock. */
export const EPOCH_LENGTH = 64

const UNITS_PER_BLOCK = 8192
export const BLOCK_SHIFT = 13
export const RECORDS_PER_BLOCK = 5120
/** Mask for the place of a record in its block. */
export const RECORD_MASK = UNITS_PER_BLOCK - 1
export const BASE_BLOCKS = 2
export const MAX_BLOCKS = 8192 - BASE_BLOCKS
export const BLOCK_BYTES = UNITS_PER_BLOCK * 16
/** The bytes of a page of WebAssembly memory. */
export const WASM_PAGE = 65536

const LAYOUT = [
  UNITS_PER_BLOCK,
  RECORDS_PER_BLOCK,
  BASE_BLOCKS,
  MAX_BLOCKS,
  EPOCH_LENGTH,
  NOW * 2,
  ORDER,
  EPOCH_END,
  SUBMITTED,
  EXPIRED,
  UNFINISHED,
  TICK,
  WAKE,
  ARMED,
  REFERENCED,
  UNREFERENCED,
  HELD,
  NOW_CEIL,
  LEAST_SLACK * 2,
  CLOSED * 2,
  INEXACT,
  USED,
  SPARE,
  SINCE * 2,
  DISPATCHED,
  FRACTION * 2,
  TOUCHED,
  DEFERRED,
  DELAYS,
  DEFERRED_NOTE,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  EXPIRATIONS,
  EXPIRATIONS_CAPACITY,
  16,
]

/** Throws if the binary was compiled for another layout: it belongs to another version of the package. */
export function checkLayout(layoutAt: (i: number) => number): void {
  LAYOUT.forEach((expected, i) => {
    const found = layoutAt(i)
    if (found !== expected) {
      throw new Error(
        `the wheel's binary is of another version: layout entry ${i} is ${found}, expected ${expected}`,
      )
    }
  })
}

/** Copies the words that a renewed memory takes over from the former one. Nothing is pending, and no epoch is open. */
export function carryOver(words: Int32Array, reals: Float64Array, former: Views): void {
  words[HELD] = former.words[HELD]!
  words[NOW_CEIL] = former.words[NOW_CEIL]!
  reals[NOW] = former.reals[NOW]!
}

/** The unit of the n-th record, counted from 0 through the blocks. */
export function unitOfRecord(n: number): number {
  const block = (n / RECORDS_PER_BLOCK) | 0
  return ((block + BASE_BLOCKS) << BLOCK_SHIFT) + n - block * RECORDS_PER_BLOCK
}
