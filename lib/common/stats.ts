/** The counts of a wheel that is not open. */
import type { WheelStats } from '../api/stats.js'

export const noStats = (): WheelStats => ({
  pending: 0,
  scheduled: 0,
  fired: 0,
  cancelled: 0,
  overruns: 0,
  bytes: 0,
})
