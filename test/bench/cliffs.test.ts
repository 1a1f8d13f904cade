/** The benchmark `cliffs` finds cliffs among the cells that it measures. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inBench } from './in-bench.js'

/** Medians of `set` along a line of delays: 1, 10, 100 ...; `null` if not measured. `least`: our minima, if they differ. */
interface Pass {
  ours: (number | null)[]
  native?: (number | null)[]
  least?: number[]
}

type Found = { kind: string; world: { delay: number }; neighbour?: { delay: number } }
type Verdict = Record<'suspicions' | 'kept' | 'dropped' | 'unrepeated', Found[]> & { shared: boolean[] }

/** Judges the passes of each case over one line. */
const judge = (cases: Pass[][]): Promise<Verdict[]> =>
  inBench(`
    import { findSuspicions, isShared, keepRepeated } from './cliffs/judge.mjs'
    import { bases } from './cliffs/worlds.mjs'
    const [base] = Object.values(bases)
    const figuresOf = (pass) => (world, contender, operation) => {
      const median = operation === 'set' ? pass[contender]?.[Math.log10(world.delay)] : undefined
      const min = (contender === 'ours' ? pass.least?.[Math.log10(world.delay)] : undefined) ?? median
      return median === undefined || median === null ? undefined : { median, min, max: median, turns: 3 }
    }
    show(${JSON.stringify(cases)}.map((passes) => {
      const worlds = passes[0].ours.map((_, i) => ({ ...base, delay: 10 ** i }))
      const line = { name: 'a line', axis: 'delay', works: ['replace'], worlds }
      const [first, ...repetitions] = passes.map(figuresOf)
      const suspicions = findSuspicions([line], ['ours'], first)
      const verdict = keepRepeated(suspicions, first, repetitions)
      return { suspicions, ...verdict, shared: verdict.kept.map(isShared) }
    }))`)

const steep = { ours: [100, 400] }
const flat = { ours: [100, 250] }

const SUSPECTED: [why: string, pass: Pass, suspected: string[]][] = [
  ['over 3 times the next, on either side', { ours: [100, 301, 100] }, ['next 10 1', 'next 10 100']],
  ['at most 3 times the next', { ours: [100, 200, 400] }, []],
  ['over 3 percent more than native', { ours: [104, 102], native: [100, 100] }, ['native 1']],
  ['below the cost of the loop', { ours: [1, 30, 9], native: [0, 40, 2] }, []],
  ['its least no more than the other', { ...steep, least: [100, 100] }, []],
  ['beside a cell that is lost in the noise', { ours: [-500, 100, 200] }, []],
  ['after one that was not measured', { ours: [100, null, 301], native: [null, 1, null] }, ['next 100 1']],
]
it('suspects a cell by its cost', async () => {
  const verdicts = await judge(SUSPECTED.map(([, pass]) => [pass]))
  const found = verdicts.map(({ suspicions }) =>
    suspicions.map(({ kind, world, neighbour }) =>
      neighbour === undefined ? `${kind} ${world.delay}` : `next ${world.delay} ${neighbour.delay}`,
    ),
  )
  for (const [i, [why, , cells]] of SUSPECTED.entries()) expect([why, found[i]]).toEqual([why, cells])
})

const withNative = (native: number): Pass => ({ ours: [100, 400], native: [1_000, native] })
const dear = { ours: [110], native: [100] }
/** Why, the passes, the suspicions that are kept, the numbers of those that are dropped and not repeated, and whether native shares each. */
type Repeated = [string, Pass[], object[], number, number, boolean[]]
const REPEATED: Repeated[] = [
  ['each repetition shows it', [steep, { ours: [100, 500] }, steep], [{ ratios: [4, 5, 4] }], 0, 0, [false]],
  ['one does not, and another was not measured', [steep, flat, { ours: [null, null] }], [], 1, 0, []],
  ['native costs as much in one', [dear, { ours: [100], native: [100] }], [], 1, 0, []],
  ['one lacks a cell', [steep, steep, { ours: [null, 400] }], [], 0, 1, []],
  ['there is none', [steep], [], 0, 1, []],
  ['native climbs as steeply', [withNative(4_000), withNative(4_000)], [{ nativeRatio: 4 }], 0, 0, [true]],
  ['native climbs less', [withNative(2_000), withNative(2_000)], [{ nativeRatio: 2 }], 0, 0, [false]],
]
it('judges a suspicion by its repetitions', async () => {
  const verdicts = await judge(REPEATED.map(([, passes]) => passes))
  const found = verdicts.map((one) => ({
    ...one,
    dropped: one.dropped.length,
    unrepeated: one.unrepeated.length,
  }))
  for (const [i, [why, , kept, dropped, unrepeated, shared]] of REPEATED.entries())
    expect({ why, ...found[i] }).toMatchObject({ why, kept, dropped, unrepeated, shared })
})

it('has causes that docs/contributing/benchmarking.md explains, and no other', async () => {
  const names = await inBench<string[]>("import { causeNames } from './cliffs/causes.mjs'\nshow(causeNames)")
  const document = readFileSync(join(__dirname, '../../docs/contributing/benchmarking.md'), 'utf8')
  const section = document.slice(document.indexOf('## Cliffs'), document.indexOf('<!-- figures: cliffs -->'))
  const explained = Array.from(section.matchAll(/^- \*\*(.+)\*\*:/gm), ([, name]) => name)
  expect(explained.sort()).toEqual(names.sort())
})
