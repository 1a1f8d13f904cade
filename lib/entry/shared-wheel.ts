/** The shared wheel of a page. On workerd it stays closed: `configure()` only checks its options, and there is nothing to count or to list. */
import { sharedWheel } from '../page/timers.js'

export const shared = /* @__PURE__ */ sharedWheel()
