/** The cells that a person touches with the pointer or the arrow keys. */
import type { Grid } from './grid.js'

/** The radius of a touch, in pixels of the page. */
const RADIUS = 14
/** Pixels of the page for each press of an arrow key; five times as many with Shift. */
const STEP = 14

interface Point {
  readonly x: number
  readonly y: number
}

const KEYS: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

export class Touch {
  readonly #grid: Grid
  readonly #frame: HTMLElement
  readonly #cursor: HTMLElement
  readonly #announce: (row: number, column: number) => void
  /** The points of the pointer and the keys since the last frame. Each is touched once. */
  #path: Point[] = []
  #at: Point | undefined

  /**
   * @param frame receives the events of pointer and keys
   * @param cursor moves to the position of the keys
   * @param announce announces the position of the keys: row and column of a cell, from 1
   */
  constructor(
    grid: Grid,
    frame: HTMLElement,
    cursor: HTMLElement,
    announce: (row: number, column: number) => void,
  ) {
    this.#grid = grid
    this.#frame = frame
    this.#cursor = cursor
    this.#announce = announce
    frame.tabIndex = 0
    frame.addEventListener('pointermove', (event) => {
      for (const one of [...(event.getCoalescedEvents?.() ?? []), event]) this.#addPointer(one)
    })
    frame.addEventListener('pointerdown', (event) => this.#addPointer(event))
    frame.addEventListener('keydown', (event) => this.#press(event))
    frame.addEventListener('focus', () => this.#moveTo(this.#at ?? this.#middle()))
  }

  /** Appends the cells touched since the last call; see {@link Grid.collect}. */
  collect(size: number, cells: Uint32Array, from: number): number {
    const { cellSize } = this.#grid
    let count = from
    for (const { x, y } of this.#path) {
      const radius = Math.max(RADIUS / cellSize, 1)
      count = this.#grid.collect(x / cellSize - 0.5, y / cellSize - 0.5, radius, size, cells, count)
    }
    this.#path = []
    return count
  }

  #addPointer({ clientX, clientY }: PointerEvent): void {
    const { left, top } = this.#frame.getBoundingClientRect()
    this.#path.push({ x: clientX - left, y: clientY - top })
  }

  #middle(): Point {
    return { x: this.#frame.clientWidth / 2, y: this.#frame.clientHeight / 2 }
  }

  #press(event: KeyboardEvent): void {
    const direction = KEYS[event.key]
    if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const from = this.#at ?? this.#middle()
    const step = Math.max(STEP, this.#grid.cellSize) * (event.shiftKey ? 5 : 1)
    const within = (value: number, end: number): number => Math.min(Math.max(value, 0), end - 1)
    const to = {
      x: within(from.x + direction.x * step, this.#frame.clientWidth),
      y: within(from.y + direction.y * step, this.#frame.clientHeight),
    }
    this.#moveTo(to)
    this.#path.push(to)
    const { cellSize } = this.#grid
    this.#announce(Math.floor(to.y / cellSize) + 1, Math.floor(to.x / cellSize) + 1)
  }

  #moveTo(point: Point): void {
    this.#at = point
    this.#cursor.style.translate = `${point.x}px ${point.y}px`
  }
}
