/** Divides the suites of `npm run test:all` into parts that take about the same time, always in the same way. */

/**
 * Gives each suite, from the longest to the shortest, to the part that takes the least time so far.
 *
 * @param {{ name: string, minutes: number }[]} suites
 * @param {number} part  From 1 on.
 * @param {number} parts
 * @returns {string[]} the names of the suites of a part, in the given order
 */
export function partOf(suites, part, parts) {
  const minutes = Array.from({ length: parts }, () => 0)
  const chosen = new Set()
  for (const suite of suites.toSorted((a, b) => b.minutes - a.minutes)) {
    const least = minutes.indexOf(Math.min(...minutes))
    minutes[least] += suite.minutes
    if (least === part - 1) chosen.add(suite.name)
  }
  return suites.map(({ name }) => name).filter((name) => chosen.has(name))
}
