/** The colours, as the style sheet says them for the scheme in force. */
import type { Implementation } from './cell_timers.js'

/** Steps between two colours. */
export const SHADES = 64

/** Colours of cells as canvas memory holds them: red in the lowest byte. */
export interface Palette {
  readonly empty: number
  /** From a cell that has just run out to an empty one. */
  readonly flash: Uint32Array
  /** From a cell that has just been touched to one that is about to run out. */
  readonly glow: Uint32Array
}

type Rgb = readonly [red: number, green: number, blue: number]

/** A colour of the style sheet: `name` is a custom property, which holds #rrggbb. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function rgb(name: string): Rgb {
  const value = Number.parseInt(color(name).slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function mix(from: Rgb, to: Rgb, share: number): number {
  const at = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * share)
  return ((255 << 24) | (at(2) << 16) | (at(1) << 8) | at(0)) >>> 0
}

function shades(from: Rgb, to: Rgb): Uint32Array {
  return Uint32Array.from({ length: SHADES }, (_, i) => mix(from, to, i / SHADES))
}

export function gridPalette(implementation: Implementation): Palette {
  const empty = rgb('--cell-empty')
  return {
    empty: mix(empty, empty, 0),
    flash: shades(rgb('--cell-flash'), empty),
    glow: shades(rgb(`--cell-${implementation}`), empty),
  }
}
