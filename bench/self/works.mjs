/** The work that `npx timeout-wheel` measures, and its loops. */

/**
 * @typedef {object} Work
 * @property {string} label
 * @property {string} unit
 * @property {number} turns
 * @property {string} loop  A function of `bench/loops`.
 * @property {Record<string, number>} options  Its options.
 * @property {(result: any, options: any) => number} figure
 * @property {boolean} [fresh]  Whether each turn needs a process of its own.
 */

/**
 * @param {number} milliseconds
 * @param {{ count: number }} options
 */
const nanosecondsEach = (milliseconds, { count }) => (milliseconds * 1e6) / count

const loop = { count: 200_000, batch: 1_000, delay: 60_000 }

/** @type {Work[]} */
export const works = [
  {
    label: 'set and clear, at once',
    unit: 'ns',
    turns: 7,
    loop: 'setAndClearAtOnce',
    options: loop,
    figure: nanosecondsEach,
  },
  {
    label: 'set and clear, 1,000 in flight',
    unit: 'ns',
    turns: 7,
    loop: 'setAndClearLater',
    options: loop,
    figure: nanosecondsEach,
  },
  {
    label: 'refresh one of 200,000 pending',
    unit: 'ns',
    turns: 7,
    loop: 'refreshAll',
    options: loop,
    figure: nanosecondsEach,
  },
  {
    label: 'a pending timer',
    unit: 'bytes',
    turns: 1,
    loop: 'measureBytes',
    options: { count: 200_000, delay: 60_000 },
    // Some lines of Node do not count memory outside the heap, but the process does.
    figure: ({ heap, resident }) => Math.max(heap, resident),
    fresh: true,
  },
  {
    label: 'set and fire, CPU each',
    unit: 'ns',
    turns: 1,
    loop: 'setAndFire',
    options: { count: 300_000, longest: 1_200 },
    figure: ({ cpu }) => cpu,
    fresh: true,
  },
]
