/** The driver on the host's event loop, with alarms that fail at will. */
import { expect, it, jest } from '@jest/globals'
import { openWasmCore } from '../../lib/memory/instantiate-wasm.js'
import { REFERENCED, SPARE } from '../../lib/memory/layout.js'
import type { Client } from '../../lib/node/drivers/backend.js'
import { EventLoopBackend } from '../../lib/node/drivers/event-loop.js'
import type { Alarm } from '../../lib/node/host/host.js'
import { nodeHost } from '../../lib/node/host/node-host.js'

const CLIENT: Client = {
  epochEnd: 0,
  isUndrained: false,
  dispatch: () => false,
  recover: () => {},
  trim: () => {},
}

it('lets go of the event loop in the next flush, if the last one was interrupted', () => {
  const flushes: (() => void)[] = []
  const held: string[] = []
  let interrupts = false
  const openAlarm = (wake: () => void): Alarm => {
    const name = flushes.push(wake) === 1 ? 'alarm' : 'flusher'
    return {
      set: () => {},
      hold(isHeld) {
        if (interrupts && name === 'flusher') throw new RangeError('Maximum call stack size exceeded')
        held.push(`${name} ${isHeld}`)
      },
      resources: () => [],
      fired: () => true,
      close: () => {},
    }
  }
  const { core } = new EventLoopBackend(openWasmCore(), nodeHost, 1, CLIENT, openAlarm)
  const flush = flushes[1]!
  const flushed = (): string[] => {
    held.length = 0
    flush()
    return held
  }
  core.words[REFERENCED] = 1
  expect(flushed()).toEqual([])
  core.words[REFERENCED] = 0
  interrupts = true
  expect(flushed).toThrow(RangeError)
  interrupts = false
  expect(flushed()).toEqual(['alarm false', 'flusher false'])
  expect(flushed()).toEqual([])
})

it('waits again if there was no memory for a trim', () => {
  let time = 0
  const wakes: (() => void)[] = []
  const alarms: number[] = []
  const trims: number[] = []
  const openAlarm = (wake: () => void): Alarm => {
    wakes.push(wake)
    return {
      set: (due) => alarms.push(due),
      hold: () => {},
      resources: () => [],
      fired: () => true,
      close: () => {},
    }
  }
  const { core } = new EventLoopBackend(
    openWasmCore(),
    { ...nodeHost, now: () => time },
    1,
    { ...CLIENT, trim: () => trims.push(time) },
    openAlarm,
  )
  const [wake, flush] = wakes
  core.words[SPARE] = 1
  flush!()
  for (time = 10_000; time <= 30_000; time += 10_000) wake!()
  expect({ trims, alarms }).toEqual({
    trims: [10_000, 20_000, 30_000],
    alarms: [10_000, 20_000, 30_000, 40_000],
  })
})

it('calls no function of the host in close(), but in a microtask, because an interrupted one loses timers', async () => {
  const calls: string[] = []
  const wakes: (() => void)[] = []
  const dispatched = jest.fn(() => false)
  const openAlarm = (wake: () => void): Alarm => {
    wakes.push(wake)
    return {
      set: () => calls.push('set'),
      hold: () => calls.push('hold'),
      resources: () => [],
      fired: () => true,
      close: () => calls.push('close'),
    }
  }
  const client = { ...CLIENT, dispatch: dispatched }
  const backend = new EventLoopBackend(openWasmCore(), nodeHost, 1, client, openAlarm)
  expect(calls).toEqual([])
  backend.close()
  expect(calls).toEqual([])
  // An alarm that is not ended yet does nothing.
  wakes[0]!()
  expect(dispatched).not.toHaveBeenCalled()
  await null
  expect(calls).toEqual(['close', 'close'])
})
