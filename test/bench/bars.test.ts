/** The parts of the benchmark name what they measure, and its figures are judged by bars. */
import { describe, expect, it } from '@jest/globals'
import { inBench } from './in-bench.js'

interface Verdict {
  ratio: string
  bar: string
  reached: boolean | null
}

interface Bar {
  kind: string
  value: number | { to22: number; from24: number }
  base?: string
}

/** The verdict on our figure by a bar, beside a native one of 1,000 and an empty row of 1. */
const judge = async (own: number, bar: Bar, node = 'v20.0.0', row = 'ours'): Promise<Verdict | undefined> => {
  const found = await inBench<{ verdicts: Verdict[] }[]>(`
    import { findVerdicts } from './report/verdicts.mjs'
    const rowOf = (id, group, median) => ({ id, label: id, group, values: { time: { median, min: median, max: median, turns: 7 } } })
    const rows = [rowOf('native', 'native', 1000), rowOf('empty', 'native', 1), rowOf('ours', 'addon', ${own})]
    const metrics = [{ key: 'time', label: 'time', unit: 'ns', digits: 2 }]
    const bars = [{ work: 'a work', metric: 'time', row: '${row}', ...${JSON.stringify(bar)} }]
    show(findVerdicts([{ part: 'a part', metrics, rows, bars, node: '${node}' }]))`)
  return found[0]?.verdicts[0]
}

describe('the parts', () => {
  it('have bars for metrics and rows that they measure', async () => {
    const unknown = await inBench<string[]>(`
      import { contenders } from './contenders/index.mjs'
      import { parts } from './parts/index.mjs'
      const rowsOf = ({ name, subjects = contenders, first, last }) =>
        name.startsWith('browser-') ? undefined : [first, ...subjects, last].map((one) => one?.id)
      show(parts.flatMap((part) => (part.bars ?? []).filter((bar) => {
        const rows = rowsOf(part)
        const hasRows = rows === undefined || (rows.includes(bar.row) && (bar.base === undefined || rows.includes(bar.base)))
        return !hasRows || !part.metrics.some(({ key }) => key === bar.metric)
      }).map(({ work }) => part.name + ': ' + work)))`)
    expect(unknown).toEqual([])
  })

  it('name files that export what their children run, and sources that exist', async () => {
    const missing = await inBench<string[]>(`
      import { existsSync } from 'node:fs'
      import { parts } from './parts/index.mjs'
      import { IN_NODE } from './runner/freshness.mjs'
      const found = []
      for (const { name, file = name, sources = IN_NODE } of parts) {
        if (!existsSync('parts/' + file + '.mjs')) found.push(file)
        for (const source of sources) if (!existsSync('../' + source.replace(':!', ''))) found.push(source)
      }
      show(found)`)
    expect(missing).toEqual([])
  })

  it('are recorded if a document shows them', async () => {
    const forgotten = await inBench<string[]>(`
      import { parts, recordedParts } from './parts/index.mjs'
      import { shownParts } from './report/summary.mjs'
      const recorded = [...recordedParts, ...parts.filter(({ onRequest }) => onRequest)].map(({ name }) => name)
      show(shownParts.filter((name) => !recorded.includes(name)))`)
    expect(forgotten).toEqual([])
  })
})

describe('a verdict', () => {
  it.each([
    [100, true, '10.0x'],
    [101, false, '9.90x'],
  ])('divides native by ours: %d ns against 1000', async (own, reached, ratio) => {
    expect(await judge(own, { kind: 'times', value: 10 })).toMatchObject({
      ratio,
      bar: 'at least 10x',
      reached,
    })
  })

  it.each([
    ['v22.9.0', 'at least 10x', false],
    ['v24.0.0', 'at least 6x', true],
  ])('uses the bar of the line of Node: %s', async (node, bar, reached) => {
    const value = { to22: 10, from24: 6 }
    expect(await judge(150, { kind: 'times', value }, node)).toMatchObject({ bar, reached })
  })

  it.each([
    [12, true],
    [12.01, false],
  ])('compares with a limit: %d', async (own, reached) => {
    expect(await judge(own, { kind: 'most', value: 12 })).toMatchObject({ bar: 'at most 12 ns', reached })
  })

  it.each([
    [4, true],
    [4.01, false],
  ])('compares with another row: %d after 1', async (own, reached) => {
    const bar = { kind: 'above', base: 'empty', value: 3 }
    expect(await judge(own, bar)).toMatchObject({ bar: 'at most +3.00 ns', reached })
  })

  it('is left out without a measurement', async () => {
    expect(await judge(1, { kind: 'times', value: 10 }, 'v20.0.0', 'somebody else')).toBeUndefined()
  })
})
