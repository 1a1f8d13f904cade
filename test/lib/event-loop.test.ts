/** The driver on the host's event loop, with alarms that fail at will. */
import { expect, it, jest } from '@jest/globals'
import { REFERENCED, SUBMITTED } from '../../lib/memory/layout.js'
import { openWasmCore } from '../../lib/memory/wasm-core.js'
import type { Client } from '../../lib/node/drivers/backend.js'
import { EventLoopBackend } from '../../lib/node/drivers/event-loop.js'
import type { Alarm } from '../../lib/node/host/host.js'
import { nodeHost } from '../../lib/node/host/node-host.js'

const CLIENT: Client = {
  epochEnd: 0,
  isUndrained: false,
  dispatch: () => false,
  emptied: { close() {} },
  recover: () => {},
}

/** Opens a driver. Its two alarms, for wake-ups and for flushes, call `note` with their calls. */
function open(note: (call: string, value?: unknown) => void, client = CLIENT, host = nodeHost) {
  const wakes: (() => void)[] = []
  const openAlarm = (wake: () => void): Alarm => {
    const name = wakes.push(wake) === 1 ? 'alarm' : 'flusher'
    return {
      set: (due) => note(`${name}.set`, due),
      hold: (isHeld) => note(`${name}.hold`, isHeld),
      resources: () => [],
      fired: () => true,
      close: () => note(`${name}.close`),
    }
  }
  const backend = new EventLoopBackend(openWasmCore(), host, 1, client, openAlarm)
  return { backend, wake: wakes[0]!, flush: wakes[1]! }
}

it('lets go of the event loop in the next flush, if the last one was interrupted', () => {
  let calls: string[] = []
  let interrupts = false
  const { backend, flush } = open((call, value) => {
    if (interrupts && call === 'flusher.hold') throw new RangeError('Maximum call stack size exceeded')
    calls.push(`${call} ${value}`)
  })
  const { words } = backend.core
  const flushed = (): string[] => {
    calls = []
    flush()
    return calls.filter((call) => call.includes('hold'))
  }
  words[REFERENCED] = 1
  expect(flushed()).toEqual([])
  words[REFERENCED] = 0
  interrupts = true
  expect(flushed).toThrow(RangeError)
  interrupts = false
  expect(flushed()).toEqual(['alarm.hold false', 'flusher.hold false'])
  expect(flushed()).toEqual([])
})

it('lets the next operation read the clock, if the filing was interrupted', () => {
  const client = { ...CLIENT, epochEnd: 64 }
  const { backend, flush } = open(() => {}, client)
  backend.core.words[SUBMITTED] = 1
  backend.core.takeSubmissions = () => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  expect(flush).toThrow(RangeError)
  expect(client.epochEnd).toBe(0)
})

it('calls no function of the host in close(), but in a microtask, because an interrupted one loses timers', async () => {
  const calls: string[] = []
  const dispatch = jest.fn(() => false)
  const { backend, wake } = open((call) => calls.push(call), { ...CLIENT, dispatch })
  backend.close()
  expect(calls).toEqual([])
  // An alarm that is not ended yet does nothing.
  wake()
  expect(dispatch).not.toHaveBeenCalled()
  await null
  expect(calls).toEqual(['alarm.close', 'flusher.close'])
})
