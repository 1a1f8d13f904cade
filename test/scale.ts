/**
 * The one switch for the sizes of tests. By default a test repeats something as often as its behaviour needs: past the limits of a slice,
 * of a block, of the queue, of the memory. `npm run test:all` sets TIMEOUT_WHEEL_SCALE=large, and the same tests take their large numbers.
 * `Scaled` in core/model/settings.h is the same for the tests of the core.
 */
const isLarge = process.env.TIMEOUT_WHEEL_SCALE === 'large'

export const scaled = <Value>(small: Value, large: Value): Value => (isLarge ? large : small)
