/** Figures to reach: see report/verdicts.mjs. Without `base`, the row is compared with native timers. */
const bar = (kind) => (value, work, metric, row, base) => ({ work, metric, row, base, kind, value })

/** The row is so many times better than the row `base`. */
export const atLeastTimes = bar('times')
/** The most that a metric of a row may be. `base` is the row that is shown beside it. */
export const atMost = bar('most')
/** The row may be worse than the row `base` by so much. */
export const atMostAbove = bar('above')

/** The same bars for handles with an async context and for numbers. */
export const forApis = (barsOf) => ['handles', 'numbers'].flatMap((api) => barsOf(api, `addon-${api}`))

/** The rows of both builds in a part that measures more than set, clear and refresh. The subject is an entry of the package. */
export const builds = (kind, label) =>
  ['addon', 'wasm'].map((group) => ({
    ...{ id: `${group}-${kind}`, label: `${group}: ${label}`, group },
    subject: `timeout-wheel/${group === 'addon' ? 'native' : group}`,
  }))
