/** The driver on the host's event loop, with alarms that fail at will. */
import { expect, it } from '@jest/globals'
import { openWasmCore } from '../../lib/memory/instantiate-wasm.js'
import { REFERENCED } from '../../lib/memory/layout.js'
import type { Client } from '../../lib/node/drivers/backend.js'
import { EventLoopBackend } from '../../lib/node/drivers/event-loop.js'
import type { Alarm } from '../../lib/node/host/host.js'
import { nodeHost } from '../../lib/node/host/node-host.js'

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
      close: () => {},
    }
  }
  const client: Client = {
    epochEnd: 0,
    isUndrained: false,
    dispatch: () => false,
    recover: () => {},
    trim: () => {},
  }
  const { core } = new EventLoopBackend(openWasmCore(), nodeHost, 1, client, openAlarm)
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
