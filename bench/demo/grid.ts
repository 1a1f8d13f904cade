/** Draws the cells on a canvas with one pixel per cell, which the style sheet enlarges, and finds the cells below a touch. */
import type { Population } from './population.js'

/** Milliseconds in which the flash of an expired cell fades. */
const FLASH = 400
/** Smaller cells, in pixels of the screen, have no lines between them. */
const SMALLEST_LINED = 4

export class Grid {
  columns = 1
  rows = 1
  /** The side of a cell, in pixels of the page. */
  cellSize = 1
  /** The cells touched since the last frame: the first `count`. */
  touched = new Uint32Array()
  count = 0
  /** Contains the canvas, and has the size of the cells. */
  readonly frame = document.getElementById('grid')!
  readonly #context = this.frame.querySelector('canvas')!.getContext('2d')!
  #image = new ImageData(1, 1)

  /**
   * Chooses the largest cells, in whole pixels of the screen, of which `size` fit into the width of the parent and the greatest
   * height that the style sheet gives to the frame.
   */
  layOut(size: number): void {
    const { style, parentElement } = this.frame
    const ratio = window.devicePixelRatio
    const across = Math.floor(parentElement!.clientWidth * ratio)
    const down = Math.floor(Number.parseFloat(getComputedStyle(this.frame).maxHeight) * ratio)
    let side = Math.max(1, Math.floor(Math.sqrt((across * down) / size)))
    while (side > 1 && Math.floor(across / side) * Math.floor(down / side) < size) side--
    this.columns = Math.min(Math.floor(across / side), size)
    this.rows = Math.ceil(size / this.columns)
    this.cellSize = side / ratio
    this.touched = new Uint32Array(size)
    this.count = 0
    Object.assign(this.#context.canvas, { width: this.columns, height: this.rows })
    this.#image = new ImageData(this.columns, this.rows)
    style.width = `${this.columns * this.cellSize}px`
    style.height = `${this.rows * this.cellSize}px`
    style.setProperty('--cell', `${this.cellSize}px`)
    style.setProperty('--line-width', side < SMALLEST_LINED ? '0px' : `${1 / ratio}px`)
  }

  /** A touched cell fades to the background until it expires. Then the flash does. */
  paint({ now, touchedAt, ranOutAt, delays }: Population): void {
    const pixels = new Uint32Array(this.#image.data.buffer)
    const [glow, flash, page] = ['.glow', '.flash', 'body'].map(backgroundOf)
    for (let cell = 0; cell < delays.length; cell++) {
      const spent = (now - touchedAt[cell]!) / delays[cell]!
      const flashed = (now - ranOutAt[cell]!) / FLASH
      // A cell that was touched after it expired shows the touch.
      if (flashed < 1 && touchedAt[cell]! <= ranOutAt[cell]!) pixels[cell] = fade(flash!, flashed)
      else pixels[cell] = spent < 1 ? fade(glow!, spent) : 0
    }
    // The rest of the last row.
    pixels.fill(fade(page!, 0), delays.length)
    this.#context.putImageData(this.#image, 0, 0)
  }

  /** Touches the cells whose centres lie in a disc. The disc is in units of cells from the top left corner. */
  touch(x: number, y: number, radius: number): void {
    const top = Math.max(0, Math.ceil(y - radius - 0.5))
    const bottom = Math.min(this.rows - 1, Math.floor(y + radius - 0.5))
    for (let row = top; row <= bottom; row++) {
      const half = Math.sqrt(radius * radius - (row + 0.5 - y) ** 2)
      const left = Math.max(0, Math.ceil(x - half - 0.5))
      const right = Math.min(this.columns - 1, Math.floor(x + half - 0.5))
      for (let column = left; column <= right; column++) {
        const cell = row * this.columns + column
        if (cell < this.touched.length && this.count < this.touched.length) this.touched[this.count++] = cell
      }
    }
  }
}

/** The background of an element in the format of canvas memory, red in the lowest byte, without its opacity. */
function backgroundOf(selector: string): number {
  const { backgroundColor } = getComputedStyle(document.querySelector(selector)!)
  const [red, green, blue] = backgroundColor.match(/\d+/g)!.map(Number)
  return red! | (green! << 8) | (blue! << 16)
}

/** @param share of transparency, below 1 */
function fade(color: number, share: number): number {
  return color | ((255 * (1 - share)) << 24)
}
