/** The colours of the style sheet in the current colour scheme. */
import type { Implementation } from './cell-timers.js'

/** Steps between two colours. */
export const SHADES = 64

/** Colours of cells in the format of canvas memory: red in the lowest byte. */
export interface Palette {
  readonly empty: number
  /** The colour outside of cells. */
  readonly page: number
  /** From a cell that has just expired to an empty one. */
  readonly flash: Uint32Array
  /** From a cell that has just been touched to one that is about to expire. */
  readonly glow: Uint32Array
}

type Rgb = readonly [red: number, green: number, blue: number]

/** A colour of the style sheet. `name` is a custom property with a value #rrggbb. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function rgb(name: string): Rgb {
  const value = Number.parseInt(color(name).slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function pixel([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const at = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * share)
  return [at(0), at(1), at(2)]
}

function shades(from: Rgb, to: Rgb): Uint32Array {
  return Uint32Array.from({ length: SHADES }, (_, i) => pixel(mix(from, to, i / SHADES)))
}

export function gridPalette(implementation: Implementation): Palette {
  const empty = rgb('--cell-empty')
  return {
    empty: pixel(empty),
    page: pixel(rgb('--page')),
    flash: shades(rgb('--cell-flash'), empty),
    glow: shades(rgb(`--cell-${implementation}`), empty),
  }
}
