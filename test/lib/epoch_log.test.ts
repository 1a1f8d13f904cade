/** White-box: the log is too well hidden behind refresh() for its edges to be reached. */
import { expect, it } from '@jest/globals'
import { DELAY_LIMIT, EpochLog } from '../../lib/epoch_log.js'

it('knows from which tick each operation counts', () => {
  const log = new EpochLog()
  log.append(0, 1000)
  log.append(64, 1001)
  log.append(140, 1005)
  const orders = [0, 1, 63, 64, 139, 140, 999, 70, 3, 141]
  expect(orders.map((order) => log.tickOf(order))).toEqual([
    1000, 1000, 1000, 1001, 1001, 1005, 1005, 1001, 1000, 1005,
  ])
})

it('keeps one entry for the epochs of one tick', () => {
  const log = new EpochLog()
  for (let order = 0; order < 6400; order += 64) log.append(order, order < 3200 ? 7 : 8)
  expect(log.tickOf(3199)).toBe(7)
  expect(log.tickOf(3200)).toBe(8)
  expect(log.length).toBe(2)
})

it('finds every operation while it grows, wraps around and forgets', () => {
  const log = new EpochLog()
  for (let n = 0; n < 3 * DELAY_LIMIT; n++) {
    log.append(2 * n, 10 * n)
    log.forget(10 * n - 5000)
    if (n % 9973 !== 0) continue
    // As far back as somebody may ask: DELAY_LIMIT before what was forgotten.
    const oldest = Math.max(0, n - Math.floor((DELAY_LIMIT + 5000) / 10))
    for (const m of [oldest, oldest + 1, (oldest + n) >> 1, n - 1, n].filter((m) => m >= oldest && m <= n)) {
      expect([log.tickOf(2 * m), log.tickOf(2 * m + 1)]).toEqual([10 * m, 10 * m])
    }
  }
})

it('grows after it has forgotten and wrapped around', () => {
  const log = new EpochLog()
  const sparse = 100
  for (let n = 0; n < sparse; n++) {
    log.append(n, n * 4096)
    log.forget(n * 4096)
  }
  // Now closer together: as many as make it grow twice.
  const start = (sparse - 1) * 4096
  for (let n = 0; n < 200; n++) log.append(sparse + n, start + 1 + n)
  for (let n = sparse - 32; n < sparse; n++) expect(log.tickOf(n)).toBe(n * 4096)
  for (let n = 0; n < 200; n++) expect(log.tickOf(sparse + n)).toBe(start + 1 + n)
})

it('is no longer than the ticks that delays can reach back to', () => {
  const log = new EpochLog()
  for (let tick = 0; tick < 5 * DELAY_LIMIT; tick += 50) {
    log.append(tick, tick)
    log.forget(tick)
  }
  expect(log.length).toBeLessThanOrEqual(DELAY_LIMIT / 50 + 3)
})

it('forgets nothing that may still be asked for', () => {
  const log = new EpochLog()
  log.append(0, 1_000_000)
  log.forget(1_000_000)
  expect(log.tickOf(0)).toBe(1_000_000)
  log.append(64, 1_000_001)
  log.forget(1_000_000 + DELAY_LIMIT)
  expect(log.tickOf(63)).toBe(1_000_000)
  // The last entry stays: operations to come may count from its tick.
  log.forget(1_000_000 + 3 * DELAY_LIMIT)
  log.append(128, 1_000_001)
  expect(log.tickOf(64)).toBe(1_000_001)
  expect(log.length).toBe(1)
})

it('begins anew when it is cleared', () => {
  const log = new EpochLog()
  for (let n = 0; n < 100; n++) log.append(n, n)
  log.tickOf(99)
  log.clear()
  log.append(0, 500)
  log.append(5, 501)
  expect([log.tickOf(0), log.tickOf(4), log.tickOf(5), log.tickOf(99)]).toEqual([500, 500, 501, 501])
})
