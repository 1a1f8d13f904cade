/** Exceptions interrupt operations of wheels, groups and signals: see interrupted-operations.ts. */
import { scaled } from '../scale.js'
import { onEachBackend } from './backends.js'
import { type Life, specifyInterruptions } from './interrupted-operations.js'

const ORDINARY: Life = { title: 'a wheel with timers' }
/** By default, each of these is on one of the builds. */
const ON_NATIVE: Life[] = [
  { title: 'a new wheel', isEmpty: true },
  // So many members that a group picks them in scans.
  { title: 'a wheel with many members of groups, in a callback', members: 70, isInside: true },
]
const ON_WASM: Life[] = [
  { title: 'a wheel that nobody has used for weeks', isEmpty: true, start: 2 ** 31 + 100 },
  { title: 'a wheel whose ticks wrap', start: 2 ** 32 - 9 },
]

onEachBackend((backend) => {
  const ofBuild = backend.backend === 'native' ? ON_NATIVE : ON_WASM
  specifyInterruptions(backend, [ORDINARY, ...scaled(ofBuild, [...ON_NATIVE, ...ON_WASM])])
})
