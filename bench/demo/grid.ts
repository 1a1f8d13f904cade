/** Draws the cells: a canvas with one pixel per cell, which the style sheet enlarges, and lines between the cells above it. */
import type { Population } from './population.js'
import { gridPalette, type Palette, SHADES } from './theme.js'

/** Milliseconds in which the flash of an expired cell fades. */
const FLASH = 400
/** Smaller cells, in pixels of the screen, have no lines between them. */
const SMALLEST_LINED = 4

export class Grid {
  columns = 1
  rows = 1
  /** The side of a cell, in pixels of the page. */
  cellSize = 1
  readonly #canvas: HTMLCanvasElement
  readonly #frame: HTMLElement
  readonly #context: CanvasRenderingContext2D
  #image = new ImageData(1, 1)
  #pixels = new Uint32Array(this.#image.data.buffer)
  #palette: Palette

  /** @param frame contains the canvas and the lines, and has the size of the cells */
  constructor(frame: HTMLElement, canvas: HTMLCanvasElement) {
    this.#frame = frame
    this.#canvas = canvas
    this.#context = canvas.getContext('2d', { alpha: false })!
    this.#palette = gridPalette('native')
  }

  usePalette(palette: Palette): void {
    this.#palette = palette
  }

  /** Chooses the largest cells, in whole pixels of the screen, of which `count` fit into an area of the page. */
  layOut(count: number, width: number, height: number): void {
    const ratio = window.devicePixelRatio
    const across = Math.floor(width * ratio)
    const down = Math.floor(height * ratio)
    let side = Math.max(1, Math.floor(Math.sqrt((across * down) / count)))
    while (side > 1 && Math.floor(across / side) * Math.floor(down / side) < count) side--
    this.columns = Math.min(Math.floor(across / side), count)
    this.rows = Math.ceil(count / this.columns)
    this.cellSize = side / ratio

    this.#canvas.width = this.columns
    this.#canvas.height = this.rows
    this.#image = new ImageData(this.columns, this.rows)
    this.#pixels = new Uint32Array(this.#image.data.buffer)
    const { style } = this.#frame
    style.width = `${this.columns * this.cellSize}px`
    style.height = `${this.rows * this.cellSize}px`
    style.setProperty('--cell', `${this.cellSize}px`)
    style.setProperty('--line-width', side < SMALLEST_LINED ? '0px' : `${1 / ratio}px`)
  }

  paint({ size, now, touchedAt, ranOutAt, delays }: Population): void {
    const pixels = this.#pixels
    const { empty, page, flash, glow } = this.#palette
    for (let cell = 0; cell < size; cell++) {
      const flashed = now - ranOutAt[cell]!
      const spent = (now - touchedAt[cell]!) / delays[cell]!
      // A cell that was touched after it expired shows the touch.
      if (flashed < FLASH && touchedAt[cell]! <= ranOutAt[cell]!) {
        pixels[cell] = flash[((flashed / FLASH) * SHADES) | 0]!
      } else pixels[cell] = spent < 1 ? glow[(spent * SHADES) | 0]! : empty
    }
    // The rest of the last row.
    pixels.fill(page, size)
    this.#context.putImageData(this.#image, 0, 0)
  }

  /**
   * Appends the cells whose centres lie in a disc to `cells`. The disc is in units of cells from the top left corner.
   *
   * @returns the new number of `cells`
   */
  collect(
    column: number,
    row: number,
    radius: number,
    size: number,
    cells: Uint32Array,
    from: number,
  ): number {
    let count = from
    const top = Math.max(0, Math.ceil(row - radius))
    const bottom = Math.min(this.rows - 1, Math.floor(row + radius))
    for (let y = top; y <= bottom; y++) {
      const half = Math.sqrt(radius * radius - (y - row) ** 2)
      const left = Math.max(0, Math.ceil(column - half))
      const right = Math.min(this.columns - 1, Math.floor(column + half))
      for (let x = left; x <= right; x++) {
        const cell = y * this.columns + x
        if (cell < size && count < cells.length) cells[count++] = cell
      }
    }
    return count
  }
}
