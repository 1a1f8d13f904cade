/** The touches of the grid: by the pointer, by the arrow keys, and by three discs that move over it. */
import type { Grid } from './grid.js'

/** The radius of a touch, and the step of an arrow key, in pixels of the page. With Shift, a step is five times as long. */
const REACH = 14
/** The share of all cells that a disc covers. */
const COVERED = 0.012
/** The path of each disc: turns a minute across and down, and the start. */
const DISCS = [
  { across: 4.1, down: 5.3, begin: 0 },
  { across: 5.9, down: 3.7, begin: 2 },
  { across: 3.1, down: 7.3, begin: 4 },
]
const KEYS: Record<string, [right: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Touches the cells below the discs. Called in each frame. */
export function sweep(grid: Grid, now: number): void {
  const radius = Math.sqrt((COVERED * grid.touched.length) / Math.PI)
  const turned = (now / 60_000) * 2 * Math.PI
  for (const { across, down, begin } of DISCS) {
    const x = (0.5 + 0.47 * Math.sin(turned * across + begin)) * grid.columns
    const y = (0.5 + 0.45 * Math.cos(turned * down + begin)) * grid.rows
    grid.touch(x, y, radius)
  }
}

/** Touches the cells below the pointer, and below the cursor that the arrow keys move. `position` tells its row and column. */
export function listen(grid: Grid, cursor: HTMLElement, position: HTMLElement): void {
  const { frame } = grid
  frame.tabIndex = 0
  const touch = (x: number, y: number): void =>
    grid.touch(x / grid.cellSize, y / grid.cellSize, Math.max(REACH / grid.cellSize, 1))
  const point = (event: PointerEvent): void => {
    const { left, top } = frame.getBoundingClientRect()
    const events = [...(event.getCoalescedEvents?.() ?? []), event]
    for (const { clientX, clientY } of events) touch(clientX - left, clientY - top)
  }
  frame.addEventListener('pointerdown', point)
  frame.addEventListener('pointermove', point)

  /** The cursor, as shares of the width and height of the grid. */
  const at = { x: 0.5, y: 0.5 }
  frame.addEventListener('keydown', (event) => {
    const direction = KEYS[event.key]
    if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const { clientWidth, clientHeight } = frame
    const step = Math.max(REACH, grid.cellSize) * (event.shiftKey ? 5 : 1)
    const within = (share: number): number => Math.min(Math.max(share, 0), 0.9999)
    at.x = within(at.x + (direction[0] * step) / clientWidth)
    at.y = within(at.y + (direction[1] * step) / clientHeight)
    cursor.style.left = `${at.x * 100}%`
    cursor.style.top = `${at.y * 100}%`
    touch(at.x * clientWidth, at.y * clientHeight)
    const [row, column] = [at.y * grid.rows, at.x * grid.columns].map((cells) => Math.floor(cells) + 1)
    position.textContent = `Row ${row}, column ${column}`
  })
}
