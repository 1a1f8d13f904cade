/** A time that never comes. A constant of its own, because minifiers do not shorten `Number.POSITIVE_INFINITY`. */
export const FOREVER: number = 1 / 0
