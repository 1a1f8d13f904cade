/** Figures to reach: see report/verdicts.mjs. Without `base`, the row is compared with native timers. */
const bar = (kind) => (value, work, metric, row, base) => ({ work, metric, row, base, kind, value })

/** The row is so many times better than the row `base`. */
export const atLeastTimes = bar('times')
/** The most that a metric of a row may be. `base` is the row that is shown beside it. */
export const atMost = bar('most')
/** The row may be worse than the row `base` by so much. */
export const atMostAbove = bar('above')

/** The rows of both builds in a part that measures more than set, clear and refresh. The subject is an entry of the package. */
export const builds = (kind, label) =>
  [
    ['addon', 'native'],
    ['wasm', 'wasm'],
  ].map(([group, entry]) => ({
    ...{ id: `${group}-${kind}`, label: `${group}: ${label}`, group },
    subject: `timeout-wheel/${entry}`,
  }))
