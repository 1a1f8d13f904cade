/** The parts of the benchmark name what they measure, and its figures are judged by bars. */
import { inBench } from './in-bench.js'

it.each([
  [
    'have bars for metrics and rows that they measure',
    `import { contenders } from './contenders/index.mjs'
      import { parts } from './parts/index.mjs'
      const rowsOf = ({ name, subjects = contenders, first, last, split = (rows) => rows }) =>
        name.startsWith('browser-')
          ? undefined
          : split([first, ...subjects, last].map((one) => ({ ...one, values: {} }))).map(({ id }) => id)
      show(parts.flatMap((part) => (part.bars ?? []).filter((bar) => {
        const rows = rowsOf(part)
        const hasRows = rows === undefined || (rows.includes(bar.row) && (bar.base === undefined || rows.includes(bar.base)))
        return !hasRows || !part.metrics.some(({ key }) => key === bar.metric)
      }).map(({ work }) => part.name + ': ' + work)))`,
  ],
  [
    'name files that export what their children run, and sources that exist',
    `import { existsSync } from 'node:fs'
      import { parts } from './parts/index.mjs'
      import { IN_NODE } from './runner/freshness.mjs'
      show(parts.flatMap(({ name, file = name, sources = IN_NODE }) =>
        ['parts/' + file + '.mjs', ...sources.map((source) => '../' + source.replace(':!', ''))]
      ).filter((path) => !existsSync(path)))`,
  ],
  [
    'are recorded if a document shows them',
    `import { parts, recordedParts } from './parts/index.mjs'
      import { shownParts } from './report/summary.mjs'
      const recorded = [...recordedParts, ...parts.filter(({ onRequest }) => onRequest)].map(({ name }) => name)
      show(shownParts.filter((name) => !recorded.includes(name)))`,
  ],
])('the parts %s', async (_, listWrong) => expect(await inBench(listWrong)).toEqual([]))

/** Our figure, a bar, a version of Node, and the verdict beside a native row of 1,000 and an empty row of 1. */
type Case = [own: number, rule: object, node: string, bar: string, reached: boolean]
const TIMES = { kind: 'times', value: 10 }
const BY_LINE = { kind: 'times', value: { to22: 10, from24: 6 } }
const MOST = { kind: 'most', value: 12 }
const ABOVE = { kind: 'above', base: 'empty', value: 3 }
const CASES: Case[] = [
  [100, TIMES, 'v20.0.0', 'at least 10x', true],
  [101, TIMES, 'v20.0.0', 'at least 10x', false],
  [150, BY_LINE, 'v22.9.0', 'at least 10x', false],
  [150, BY_LINE, 'v24.0.0', 'at least 6x', true],
  [12, MOST, 'v20.0.0', 'at most 12 ns', true],
  [12.01, MOST, 'v20.0.0', 'at most 12 ns', false],
  [4, ABOVE, 'v20.0.0', 'at most +3.00 ns', true],
  [4.01, ABOVE, 'v20.0.0', 'at most +3.00 ns', false],
]

it('judges a figure by a bar', async () => {
  const verdicts = await inBench(`
    import { findVerdicts } from './report/verdicts.mjs'
    const rowOf = (id, group, median) => ({ id, label: id, group, values: { time: { median, min: median, max: median, turns: 7 } } })
    const metrics = [{ key: 'time', label: 'time', unit: 'ns', digits: 2 }]
    show(${JSON.stringify(CASES)}.map(([own, rule, node]) => {
      const rows = [rowOf('native', 'native', 1000), rowOf('empty', 'native', 1), rowOf('ours', 'addon', own)]
      const bars = [{ work: 'a work', metric: 'time', row: 'ours', ...rule }]
      const [{ verdicts }] = findVerdicts([{ part: 'a part', metrics, rows, bars, node }])
      return verdicts[0]
    }))`)
  const ratioOf = (own: number) => (own === 100 ? '10.0x' : expect.any(String))
  expect(verdicts).toMatchObject(
    CASES.map(([own, , , bar, reached]) => ({ bar, reached, ratio: ratioOf(own) })),
  )
})
