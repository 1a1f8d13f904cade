/** The benchmark judges its figures by bars. */
import { describe, expect, it } from '@jest/globals'
import { inBench } from './in-bench.js'

interface Verdict {
  work: string
  native: string
  ours: string
  ratio: string
  bar: string
  reached: boolean
}

/** Returns the verdicts on one figure of a row, next to the figure of native. */
function judge(
  part: string,
  metric: string,
  row: string,
  own: number,
  native: number,
  node = 'v20.0.0',
): Promise<Verdict[]> {
  const summary = (median: number): object => ({ median, min: median, max: median, turns: 7 })
  const rows = [
    { id: 'native', label: 'native', group: 'native', values: { [metric]: summary(native) } },
    { id: 'empty', label: 'empty', group: 'native', values: { [metric]: summary(native) } },
    { id: row, label: row, group: 'addon', values: { [metric]: summary(own) } },
  ]
  const metrics = [{ key: metric, label: metric, unit: 'ns', digits: 2 }]
  return inBench<Verdict[]>(
    `import { judgeOurs } from './report/verdicts.mjs'\nshow(judgeOurs([${JSON.stringify({ part, metrics, rows, node })}]))`,
  )
}

describe('the bars', () => {
  it('name metrics that their parts measure', async () => {
    const unknown = await inBench(`
      import { bars } from './report/bars.mjs'
      import { parts } from './parts/index.mjs'
      const measures = ({ part, metric }) =>
        parts.some(({ name, metrics }) => name === part && metrics.some(({ key }) => key === metric))
      show(bars.filter((bar) => !measures(bar)))`)
    expect(unknown).toEqual([])
  })

  it('name existing contenders', async () => {
    const rows = await inBench<string[]>(`
      import { bars } from './report/bars.mjs'
      import { contenders } from './contenders/index.mjs'
      import { chains } from './parts/fine-chain.mjs'
      import { deadlines } from './parts/deadlines.mjs'
      import { members } from './parts/groups.mjs'
      import { maps } from './parts/timeout-map.mjs'
      import { slacks } from './parts/slack.mjs'
      import { runs } from './parts/packages.mjs'
      const known = [...contenders, ...members, ...maps, ...runs, ...chains, ...deadlines, ...slacks].map(({ id }) => id)
      const ownRows = ['import', 'register']
      show(bars.filter(({ part, row }) => !ownRows.includes(part) && !known.includes(row)).map(({ work }) => work))`)
    expect(rows).toEqual([])
  })
})

describe('a verdict', () => {
  it.each([
    [100, true, '10.0x'],
    [101, false, '9.90x'],
  ])('divides native by ours: %d ns against 1000', async (own, reached, ratio) => {
    const [verdict] = await judge('set-clear', 'atOnce', 'addon-handles', own, 1000)
    expect(verdict).toMatchObject({ native: '1,000.00 ns', ratio, bar: 'at least 10x', reached })
  })

  it.each([
    ['v22.9.0', 'at least 10x', false],
    ['v24.0.0', 'at least 6x', true],
    ['v26.1.0', 'at least 6x', true],
  ])('uses the bar of the line of Node: %s', async (node, bar, reached) => {
    expect((await judge('set-clear', 'atOnce', 'addon-handles', 150, 1000, node))[0]).toMatchObject({
      bar,
      reached,
    })
  })

  it.each([
    [12, true],
    [12.01, false],
  ])('compares with a limit: %d', async (own, reached) => {
    const [verdict] = await judge('burst', 'block', 'addon-numbers', own, 300)
    expect(verdict).toMatchObject({ bar: 'at most 12 ns', reached })
  })

  it.each([
    [4, true],
    [4.01, false],
  ])('compares with the empty row: %d after 1', async (own, reached) => {
    const [verdict] = await judge('import', 'imported', 'either', own, 1)
    expect(verdict).toMatchObject({ bar: 'at most +3.00 ns', reached })
  })

  it('is left out without a measurement', async () => {
    expect(await judge('set-clear', 'atOnce', 'somebody-else', 1, 1000)).toEqual([])
  })
})
