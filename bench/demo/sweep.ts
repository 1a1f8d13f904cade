/** Touches cells automatically: three discs move over the grid. */
import type { Grid } from './grid.js'

/** The share of all cells that a disc covers. */
const COVERED = 0.012
/** The path of each disc: turns a minute across and down, and the start. */
const DISCS = [
  { across: 4.1, down: 5.3, begin: 0 },
  { across: 5.9, down: 3.7, begin: 2 },
  { across: 3.1, down: 7.3, begin: 4 },
]

/** Appends the cells below the discs to `cells`; see {@link Grid.collect}. */
export function collectSweep(
  grid: Grid,
  now: number,
  size: number,
  cells: Uint32Array,
  from: number,
): number {
  const radius = Math.sqrt((COVERED * size) / Math.PI)
  const turned = (now / 60_000) * 2 * Math.PI
  let count = from
  for (const { across, down, begin } of DISCS) {
    const column = (0.5 + 0.47 * Math.sin(turned * across + begin)) * (grid.columns - 1)
    const row = (0.5 + 0.45 * Math.cos(turned * down + begin)) * (grid.rows - 1)
    count = grid.collect(column, row, radius, size, cells, count)
  }
  return count
}
