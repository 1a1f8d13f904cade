/**
 * The end of the stack, a time limit of `node:vm` or the end of a worker interrupts random programs between any two steps.
 * Afterwards every timer behaves as the program knows it, and the process ends by itself.
 *
 * The title of a program has its seed, which determines all decisions. The moments of time limits depend on the machine.
 * `TIMEOUT_WHEEL_SEED=n npx jest test/interrupt` replays it for every backend and kind, `-t 'native, stack'` for one.
 * `TIMEOUT_WHEEL_INTERRUPT_PROGRAMS` is the number of programs of each kind; without it there is one, of a quarter of the length.
 */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { newSeed, randomFrom } from '../contract/random.js'
import { type Outcome, runNode } from '../node/child.js'

const CHILD = join(__dirname, 'child.mjs')
const programCount = Number(process.env.TIMEOUT_WHEEL_INTERRUPT_PROGRAMS)
const LENGTH = programCount ? 1 : 0.25
const BACKENDS = ['native', 'wasm'] as const
/** The kinds of interruption (see child.mjs), each with the number of rounds that take about 2 seconds. */
const KINDS = { none: 40, stack: 80, time: 50, 'cold-stack': 15, 'cold-time': 15, worker: 12 }

/** How V8 runs the code. Frames then differ in size, and so do the places at which V8 checks the stack and the time. */
const FLAGS = [
  ...['', '', '--no-opt', '--no-opt --always-sparkplug', '--no-lazy-feedback-allocation', '--max-lazy'],
  '--stack-size=300',
]
/** How V8 compiles WebAssembly. */
const WASM_FLAGS = ['', '--liftoff-only', '--no-liftoff']

const PROGRAMS = BACKENDS.flatMap((backend) =>
  Object.entries(KINDS).flatMap(([kind, rounds]) =>
    Array.from({ length: programCount || 1 }, (_, i) => {
      return { backend, kind, seed: newSeed() + i, rounds: Math.ceil(rounds * LENGTH) }
    }),
  ),
)

function flagsOf({ backend, seed }: (typeof PROGRAMS)[number]): string[] {
  const random = randomFrom(seed)
  const flags = [random.pick(FLAGS), backend === 'wasm' ? random.pick(WASM_FLAGS) : '']
  return [`--random-seed=${seed % 2 ** 31}`, ...flags.join(' ').split(' ').filter(Boolean)]
}

/** Describes the fault of a program, or returns an empty text. */
function faultOf({ code, signal, lines, stderr }: Outcome): string {
  if (code === 0 && lines.at(-1) === 'done') return ''
  const end = signal === null ? `exit code ${code}` : `signal ${signal}`
  return `${end}\n${[...lines, ...stderr.split('\n').slice(0, 60)].join('\n')}`
}

it.each(PROGRAMS)('keeps its timers on $backend, $kind, seed $seed', async (program) => {
  const flags = flagsOf(program)
  const fault = faultOf(await runNode([...flags, CHILD, JSON.stringify(program)]))
  const replay = `node ${flags.join(' ')} test/interrupt/child.mjs '${JSON.stringify(program)}'`
  expect(fault && `${replay}\n${fault}`).toBe('')
})
