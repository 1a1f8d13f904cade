import { clearTimeout, setTimeout } from 'node:timers'

export const handles = () => ({
  set: (fn, delay) => setTimeout(fn, delay),
  setWith: (fn, delay, arg) => setTimeout(fn, delay, arg),
  clear: (timer) => clearTimeout(timer),
  refresh: (timer) => timer.refresh(),
})
