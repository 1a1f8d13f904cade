/** @jest-environment jsdom */
import { backend, setTimeout, TimerWheel } from 'timeout-wheel'

const wheel = new TimerWheel()
afterEach(() => void wheel.stop())

it('loads the entry of pages in the environment jsdom of Jest, and runs timers there', async () => {
  expect(backend).toBe('wasm')
  expect(typeof document).toBe('object')
  expect(await new Promise((resolve) => setTimeout(resolve, 5, 'ran'))).toBe('ran')
  expect(await new Promise((resolve) => wheel.schedule(resolve, 5, 'ran'))).toBe('ran')
})
