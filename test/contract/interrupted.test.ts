/** Exceptions interrupt operations of wheels, groups and signals: see interrupted-operations.ts. */
import { onEachBackend } from './backends.js'
import { specifyInterruptions } from './interrupted-operations.js'

/** So many that a group picks members in scans. */
const MEMBERS = 70

onEachBackend((backend) =>
  specifyInterruptions(backend, [
    { title: 'a new wheel', isEmpty: true },
    { title: 'a wheel that nobody has used for weeks', isEmpty: true, start: 2 ** 31 + 100 },
    { title: 'a wheel with timers' },
    { title: 'a wheel with many members of groups, in a callback', members: MEMBERS, isInside: true },
    { title: 'a wheel whose ticks wrap', start: 2 ** 32 - 9 },
  ]),
)
