/** The main points of the contract hold in workerd, with the entry of the condition `workerd`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Project, packAndInstall } from './installed.js'
import { WorkerdServer } from './workerd-server.js'

describe('on workerd', () => {
  let project: Project
  let server: WorkerdServer
  beforeAll(async () => {
    project = await packAndInstall()
    server = await WorkerdServer.start(project)
  })
  afterAll(async () => {
    await server?.close()
    project?.remove()
  })

  it('is ended if it never reports its port', async () => {
    const sleeper = join(project.folder, 'sleeper')
    writeFileSync(sleeper, '#!/bin/sh\necho asleep\nexec sleep 300\n', { mode: 0o755 })
    await expect(WorkerdServer.start(project, { program: sleeper, patience: 1_000 })).rejects.toThrow(
      'workerd reported no port within 1 s:\nasleep',
    )
  })

  it('runs on WebAssembly', async () => {
    expect(await server.ask('backend')).toBe('wasm')
  })

  it('runs timers in the order of their deadlines, with their arguments', async () => {
    expect(await server.ask('order')).toEqual(['20: 1', '20: 3', 'all,arguments', '40: 2', '60: 0'])
  })

  it('runs no timer early', async () => {
    expect(await server.ask('early')).toEqual({ ran: 1_000, early: 0 })
  })

  it('clears by handle, number and id', async () => {
    expect(await server.ask('clear')).toEqual({ ran: [3], cancelled: [true, false], pending: 1 })
  })

  it('refreshes a pending timer, and sets a timer that has run again', async () => {
    expect(await server.ask('refresh')).toEqual(['before', 'refreshed', 'after', 'refreshed'])
  })

  it('runs an interval until it is cleared', async () => {
    expect(await server.ask('interval')).toBe(3)
  })

  it('stops a wheel: returns the pending timers in order, and refuses new ones', async () => {
    expect(await server.ask('stop')).toEqual({
      ran: ['due'],
      left: [
        { args: [1, 2], isLeft: true },
        { args: ['late'], isLeft: true },
      ],
      pending: 0,
      refused: 'ERR_WHEEL_STOPPED',
    })
  })

  it('runs a burst in order', async () => {
    expect(await server.ask('burst')).toEqual({ ran: 20_000, isOrdered: true })
  })

  it('reports errors of callbacks, and runs the others', async () => {
    expect(await server.ask('throws')).toEqual([0, 1, 2])
    for (const n of [0, 1, 2]) await server.logged(`thrown ${n}`)
  })

  it('advances virtual time', async () => {
    expect(await server.ask('manual')).toEqual([10, 20, 3_600_000])
  })

  it('runs the shared wheel and the promises of a request', async () => {
    expect(await server.ask('shared')).toEqual(['waited', 'waited as well'])
  })

  it('keeps the wheels of overlapping requests apart', async () => {
    const pauses = [120, 40, 80, 40, 10]
    const answers = await Promise.all(pauses.map((pause) => server.ask(`pause?ms=${pause}`)))
    expect(answers).toEqual(pauses.map((pause) => ({ pause, isEarly: false })))
  })
})
