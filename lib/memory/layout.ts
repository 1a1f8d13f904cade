/**
 * The layout of one wheel's shared memory for JavaScript. native/core/layout.h and record.h describe it, with pictures; their numbers
 * are copied into generated/layout.ts. {@link checkLayout} compares both sides when the addon is loaded. The WebAssembly module needs
 * no comparison: one build compiles it from the same headers and puts it into the JavaScript.
 */
import { BLOCK_SHIFT, COMPARED, RECORDS_PER_BLOCK } from '../generated/layout.js'

export * from '../generated/layout.js'

/** Throws if the binary was compiled for another layout: it belongs to another version of the package. */
export function checkLayout(layoutAt: (i: number) => number): void {
  COMPARED.forEach((expected, i) => {
    const found = layoutAt(i)
    if (found !== expected) {
      throw new Error(
        `the wheel's binary is of another version: layout entry ${i} is ${found}, expected ${expected}`,
      )
    }
  })
}

/** The unit of the n-th record, counted from 0 through the blocks. Unit 0 means none. */
export function unitOfRecord(n: number): number {
  const block = ((n + 1) / RECORDS_PER_BLOCK) | 0
  return (block << BLOCK_SHIFT) + n + 1 - block * RECORDS_PER_BLOCK
}
