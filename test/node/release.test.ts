/** A timer releases its callback and arguments whenever Node's timer does, even if the program keeps the handle. */
import { describe, expect, it } from '@jest/globals'
import { ENTRIES } from './backends.js'
import { run } from './child.js'

/** Logs which parts of a timer have been collected after `use` ends. */
const script = (entry: string, use: string): string => `
  import * as timers from '${entry}'
  import { AsyncLocalStorage } from 'node:async_hooks'
  const { setTimeout, setInterval, clearTimeout } = timers
  const storage = new AsyncLocalStorage()
  const kept = []
  const gone = {}
  const watched = []
  /** Makes a timer of which the program can reach only the handle. */
  function make(set, delay, then = () => {}) {
    const [argument, store] = [{ argument: true }, { store: true }]
    const callback = (() => { const own = {}; return function () { void own; then(this) } })()
    for (const [name, part] of Object.entries({ argument, store, callback })) watched.push([name, new WeakRef(part)])
    kept.push(storage.run(store, () => set(callback, delay, argument)))
    return kept[0]
  }
  const later = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms))
  await (async () => { ${use} })()
  for (let i = 0; i < 10; i++) { await later(5); gc() }
  for (const [name, reference] of watched) console.log(name, reference.deref() === undefined ? 'gone' : 'held')
  console.log(kept.length)
`

const uses: [string, string][] = [
  ['is pending', `make(setTimeout, 100_000).unref()`],
  ['is cleared', `clearTimeout(make(setTimeout, 100_000))`],
  ['is closed, an interval', `make(setInterval, 100_000).close()`],
  [
    'was refreshed and cleared',
    `const t = make(setTimeout, 100_000); t.refresh(); await later(5); t.refresh(); clearTimeout(t)`,
  ],
  ['was cleared by its number', `const t = make(setTimeout, 100_000); clearTimeout(+t)`],
  ['has run', `make(setTimeout, 2); await later(50)`],
  ['was cleared after it had run', `const t = make(setTimeout, 2); await later(50); clearTimeout(t)`],
  ['cleared itself', `make(setTimeout, 2, (t) => clearTimeout(t)); await later(50)`],
  ['cleared itself, an interval', `make(setInterval, 2, (t) => clearTimeout(t)); await later(50)`],
]

describe.each(ENTRIES)('%s', (entry) => {
  it.each(uses)('keeps no more than Node of a timer that %s', async (_name, use) => {
    const [native, ours] = await Promise.all(
      ['node:timers', entry].map((from) => run(script(from, use), ['--expose-gc'])),
    )
    expect([native!.stderr, ours!.stderr, ours!.code]).toEqual(['', '', 0])
    expect(ours!.lines).toHaveLength(native!.lines.length)
    for (const [i, line] of native!.lines.entries())
      if (!line.endsWith('held')) expect(ours!.lines[i]).toBe(line)
  })

  it.each([
    ['is cleared', `clearTimeout(make(setTimeout, 100_000))`],
    ['was cleared after it had run', `const t = make(setTimeout, 2); await later(50); clearTimeout(t)`],
    ['cleared itself, an interval', `make(setInterval, 2, (t) => clearTimeout(t)); await later(50)`],
  ])('releases the callback and the arguments of a timer that %s', async (_name, use) => {
    const { lines } = await run(script(entry, use), ['--expose-gc'])
    expect(lines).toContain('callback gone')
    expect(lines).toContain('argument gone')
  })

  it('releases everything with the handle', async () => {
    const { lines } = await run(
      script(
        entry,
        `clearTimeout(make(setTimeout, 100_000)); make(setTimeout, 2); const t = make(setInterval, 2, (t) => clearTimeout(+t)); await later(50); kept.length = 0`,
      ),
      ['--expose-gc'],
    )
    expect(lines.slice(0, -1).filter((line) => !line.endsWith('gone'))).toEqual([])
    expect(lines).toHaveLength(10)
  })
})
