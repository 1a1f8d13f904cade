/** The benchmark `cliffs` plans cells and finds cliffs among them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { inBench } from './in-bench.js'

/**
 * Medians of `set`, by contender, along a line of delays: 1, 10, 100 ... `null` if not measured. `least` has our minima, if
 * they differ from the medians.
 */
interface Pass {
  ours: (number | null)[]
  native?: (number | null)[]
  least?: number[]
}

interface Found {
  kind: string
  contender: string
  operation: string
  world: { delay: number }
  neighbour?: { delay: number }
  ratios?: number[]
  nativeRatio?: number
}

/** Judges passes over one line, which is planned `lines` times. */
function judge(
  passes: Pass[],
  lines = 1,
): Promise<{ suspicions: Found[]; kept: Found[]; dropped: Found[]; unrepeated: Found[]; shared: boolean[] }> {
  return inBench(`
    import { findSuspicions, isShared, keepRepeated } from './cliffs/judge.mjs'
    import { bases } from './cliffs/worlds.mjs'
    const passes = ${JSON.stringify(passes)}
    const [base] = Object.values(bases)
    const worlds = passes[0].ours.map((_, i) => ({ ...base, delay: 10 ** i }))
    const line = { name: 'a line', axis: 'delay', works: ['replace'], worlds }
    const figuresOf = (pass) => (world, contender, operation) => {
      const median = operation === 'set' ? pass[contender]?.[Math.log10(world.delay)] : undefined
      const min = (contender === 'ours' ? pass.least?.[Math.log10(world.delay)] : undefined) ?? median
      return median === undefined || median === null ? undefined : { median, min, max: median, turns: 3 }
    }
    const [first, ...repetitions] = passes.map(figuresOf)
    const suspicions = findSuspicions(Array(${lines}).fill(line), ['ours'], first)
    const verdict = keepRepeated(suspicions, first, repetitions)
    show({ suspicions, ...verdict, shared: verdict.kept.map(isShared) })`)
}

const suspected = async (pass: Pass): Promise<string[]> =>
  (await judge([pass])).suspicions.map(({ kind, world, neighbour }) =>
    `${kind} ${world.delay} ${neighbour?.delay ?? ''}`.trim(),
  )

describe('a cell', () => {
  it('is suspected if it costs over 3 times the next cell, on either side', async () => {
    expect(await suspected({ ours: [100, 301, 100] })).toEqual(['neighbour 10 1', 'neighbour 10 100'])
    expect(await suspected({ ours: [300, 100, 300] })).toEqual([])
  })

  it('is compared only with its neighbours', async () => {
    expect(await suspected({ ours: [100, 200, 400] })).toEqual([])
  })

  it('is suspected if it costs over 3 percent more than native', async () => {
    expect(await suspected({ ours: [104, 102], native: [100, 100] })).toEqual(['native 1'])
  })

  it('is not suspected if its figure is below the cost of the loop', async () => {
    expect(await suspected({ ours: [1, 30, 9], native: [0, 40, 2] })).toEqual([])
    expect(await suspected({ ours: [1, 31] })).toEqual(['neighbour 10 1'])
  })

  it('is not suspected if one of its samples costs no more than the other cell', async () => {
    expect(await suspected({ ours: [100, 400], least: [100, 101] })).toEqual(['neighbour 10 1'])
    expect(await suspected({ ours: [100, 400], least: [100, 100] })).toEqual([])
  })

  it('is not compared with a cell whose cost is lost in the noise', async () => {
    expect(await suspected({ ours: [-500, 100, 200] })).toEqual([])
    expect(await suspected({ ours: [100, -500, 301] })).toEqual(['neighbour 100 1'])
  })

  it('is compared with the next measured cell', async () => {
    expect(await suspected({ ours: [100, null, 301], native: [null, 1, null] })).toEqual(['neighbour 100 1'])
  })

  it('is suspected once, even if lines share it', async () => {
    expect((await judge([{ ours: [100, 301], native: [50, 400] }], 2)).suspicions).toHaveLength(2)
  })

  it('is never suspected if it is native', async () => {
    expect(await suspected({ ours: [50, 50], native: [100, 1_000] })).toEqual([])
  })
})

describe('a suspicion', () => {
  const steep = { ours: [100, 400] }
  const flat = { ours: [100, 250] }

  it('stays if each repetition shows it', async () => {
    const { kept, dropped, unrepeated } = await judge([steep, { ours: [100, 500] }, steep])
    expect(kept).toMatchObject([{ kind: 'neighbour', world: { delay: 10 }, ratios: [4, 5, 4] }])
    expect([...dropped, ...unrepeated]).toEqual([])
  })

  it('is dropped if one repetition does not show it, and another was not measured', async () => {
    const { kept, dropped } = await judge([steep, flat, { ours: [null, null] }])
    expect(kept).toEqual([])
    expect(dropped).toHaveLength(1)
  })

  it('is dropped if native costs as much in a repetition', async () => {
    const { kept, dropped } = await judge([
      { ours: [110], native: [100] },
      { ours: [100], native: [100] },
    ])
    expect([kept.length, dropped.length]).toEqual([0, 1])
  })

  it('is neither kept nor dropped if a repetition lacks a cell', async () => {
    const { kept, dropped, unrepeated } = await judge([steep, steep, { ours: [null, 400] }])
    expect([kept.length, dropped.length, unrepeated.length]).toEqual([0, 0, 1])
    expect((await judge([steep])).unrepeated).toHaveLength(1)
  })

  it('is marked as shared if native climbs as steeply there', async () => {
    const pass = (native: number): Pass => ({ ours: [100, 400], native: [1_000, native] })
    expect(await judge([pass(4_000), pass(4_000)])).toMatchObject({
      kept: [{ nativeRatio: 4 }],
      shared: [true],
    })
    expect(await judge([pass(2_000), pass(2_000)])).toMatchObject({
      kept: [{ nativeRatio: 2 }],
      shared: [false],
    })
  })
})

type World = Record<string, number | string | boolean>

interface Line {
  axis: string
  works: string[]
  worlds: World[]
}

describe.each([
  ['long', true],
  ['short', false],
])('the %s form', (_, full) => {
  let lines: Line[]
  let asked: { works: string[]; world: World }[]
  beforeAll(async () => {
    const plan = await inBench<{ lines: Line[]; asked: typeof asked }>(`
      import { planLines, worldsOf } from './cliffs/worlds.mjs'
      const lines = planLines(${full})
      show({ lines, asked: worldsOf(lines) })`)
    lines = plan.lines
    asked = plan.asked
  })

  it('changes only its axis along a line, and the turn if a delay is too short for it', () => {
    for (const { axis, worlds } of lines) {
      for (const [i, world] of worlds.slice(1).entries()) {
        const before = worlds[i]!
        const changed = Object.keys(world).filter((key) => world[key] !== before[key])
        expect(changed).toContain(axis)
        expect(changed.filter((key) => key !== axis && !(axis === 'delay' && key === 'turn'))).toEqual([])
      }
    }
  })

  it('covers each work, each axis and both ends of each axis', () => {
    expect(new Set(lines.flatMap(({ works }) => works)).size).toBe(4)
    const valuesOf = (axis: string): unknown[] =>
      lines.filter((line) => line.axis === axis).flatMap(({ worlds }) => worlds.map((world) => world[axis]))
    expect(valuesOf('delay')).toEqual(expect.arrayContaining([1, 300_000, 2 ** 31 - 1]))
    expect(valuesOf('tick')).toEqual(expect.arrayContaining(['shared', 1, 10]))
    expect(valuesOf('pending')).toEqual(expect.arrayContaining([10, 1_000]))
    expect(valuesOf('turn')).toEqual(expect.arrayContaining([1, 1_000]))
    expect(valuesOf('argument')).toEqual(expect.arrayContaining([false, true]))
    expect(valuesOf('ref')).toEqual(expect.arrayContaining([false, true]))
    expect(valuesOf('order')).toEqual(expect.arrayContaining(['in order', 'at random']))
    if (!full) return
    expect(valuesOf('tick')).toContain(1_000)
    expect(valuesOf('pending')).toContain(10_000_000)
    expect(valuesOf('turn')).toContain(1_000_000)
  })

  it('requests each world of its lines exactly once', () => {
    const keys = asked.map(({ works, world }) => JSON.stringify([works, world]))
    expect(new Set(keys).size).toBe(keys.length)
    for (const { works, worlds } of lines) {
      for (const world of worlds) {
        const found = asked.filter(({ world: one }) => JSON.stringify(one) === JSON.stringify(world))
        expect(found.flatMap((one) => one.works)).toEqual(expect.arrayContaining(works))
      }
    }
  })

  it('ends a turn before the timers that it sets are due', () => {
    for (const { works, worlds } of lines.filter((line) => line.works.includes('replace'))) {
      for (const { delay, turn } of worlds) expect([works, +turn! <= 100 * +delay!]).toEqual([works, true])
    }
  })
})

describe('docs/contributing/cliffs.md', () => {
  const document = readFileSync(join(__dirname, '../../docs/contributing/cliffs.md'), 'utf8')

  it('has figures for each cause, and for no other', async () => {
    const names = await inBench<string[]>(
      `import { causeNames } from './cliffs/causes.mjs'\nshow(causeNames)`,
    )
    const marks = [...document.matchAll(/<!-- figures: cliffs:(\S+) -->/g)].map((match) => match[1])
    expect(marks.sort()).toEqual(names.sort())
  })

  it('counts each cell of the results once', async () => {
    const cells = await inBench<number>(`
      import { reader } from './report/read.mjs'
      const { cliffs, unrepeated } = reader()('cliffs').details
      show(cliffs.length + unrepeated.length)`)
    const counts = [...document.matchAll(/^(\d+) cells?, ratios/gm)].map((match) => Number(match[1]))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(cells)
  })

  it('has no figures with another name', async () => {
    const format = `import { formatCause } from './cliffs/causes.mjs'
      formatCause({ cliffs: [], unrepeated: [] }, 'wakeups')`
    await expect(inBench(format)).rejects.toThrow("no table of cliffs has the name 'wakeups'")
  })
})
