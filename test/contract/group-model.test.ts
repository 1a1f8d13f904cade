/** Groups do what a sorted list does: see group-program.ts. */
import { it } from '@jest/globals'
import { scaled } from '../scale.js'
import { onEachBackend } from './backends.js'
import { runGroupProgram } from './group-program.js'
import { MASKS, maskedBy } from './masks.js'
import { forEachSeed } from './random.js'

const PROGRAMS = scaled(12, 50)

onEachBackend((backend) => {
  it(`runs ${PROGRAMS} random programs like a sorted list`, () => {
    forEachSeed(PROGRAMS, (seed) => runGroupProgram(backend, seed))
  })

  it.each(MASKS)('agrees with the list through %s', (_, maskOf) => {
    forEachSeed(1, (seed) => runGroupProgram(maskedBy(backend, maskOf), seed))
  })
})
