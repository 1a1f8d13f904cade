/** A time that never comes. Under a short name of its own: minifiers leave `Number.POSITIVE_INFINITY` as it is. */
export const FOREVER: number = 1 / 0
