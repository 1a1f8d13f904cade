/**
 * Methods need their object, and what programs do to handles affects no other timer. Frozen handles hold up neither `clear()` nor `stop()`.
 */
import type { Timeout } from 'timeout-wheel'
import { dispose, expectRefusal, ignore, manualWheel, onEachBackend, TYPE, thrownBy } from './backends.js'

const CLEAR = Symbol.for('timeout-wheel.clear')

// biome-ignore format: a list of words
const WHEEL_METHODS =
  ['setTimeout', 'setInterval', 'schedule', 'cancel', 'reschedule', 'signal', 'group', 'pendingTimers', 'advance',
  'runAll', 'clear', 'stop', 'stats'] as const
// biome-ignore format: a list of words
const MAP_METHODS =
  ['get', 'set', 'has', 'peek', 'touch', 'remaining', 'delete', 'clear', 'forEach', 'keys'] as const

onEachBackend((backend) => {
  it.each([true, false])('a handle whose asyncContext is %s is needed by its methods', (asyncContext) => {
    const wheel = manualWheel(backend, { asyncContext })
    let runs = 0
    const handle = wheel.setTimeout(() => runs++, 5)
    const prototype: Timeout = Object.getPrototypeOf(handle)
    const methods = ['ref', 'unref', 'hasRef', 'refresh', 'close', Symbol.toPrimitive, dispose] as const
    for (const other of [undefined, null, 5, 'text', {}, [], ignore, wheel, prototype]) {
      for (const method of methods) {
        // The brand of a prototype is that of its handles.
        if (other === prototype && method === 'hasRef') continue
        const error = thrownBy(() => Reflect.apply(prototype[method] as never, other, []))
        expect(error).toBeInstanceOf(TypeError)
      }
      if (other !== wheel) wheel.clearTimeout(other as never)
    }
    for (const method of methods.filter((method) => method !== 'hasRef'))
      expect(thrownBy(() => Object.create(handle)[method]())).toMatchObject({ code: 'ERR_INVALID_THIS' })
    wheel.clearTimeout(Object.create(handle))
    wheel.clearTimeout(Object.create(prototype))
    for (const other of [{}, Object.create(handle), Object.create(prototype)])
      Reflect.set(handle, CLEAR, true, other)
    Object.create(handle)._destroyed = true
    Object.create(handle)._idleStart = 0
    expect(wheel.pending).toBe(1)
    wheel.advance(10)
    expect(runs).toBe(1)
  })

  it.each([5, { delay: 5, drift: false }] as const)('overflows at any depth end no interval: %p', (delay) => {
    const wheel = manualWheel(backend)
    let runs = 0
    const interval = wheel.setInterval(() => runs++, delay as number)
    const advance = (): void => {
      try {
        advance()
      } catch {
        wheel.advance(5)
      }
    }
    advance()
    runs = 0
    wheel.advance(50)
    expect([runs, wheel.pending, interval.close().pending, wheel.pending]).toEqual([10, 1, false, 0])
  })

  it('a wheel, a group and a map are needed by their methods', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(ignore, 5)
    const timeout = wheel.setTimeout(ignore, 5)
    const others = [undefined, null, 5, 'text', {}, () => {}, group, timeout, wheel.signal(5)]
    const wheels = WHEEL_METHODS.map((name) => [name, backend.TimerWheel.prototype[name]] as const)
    const { get: size } = Object.getOwnPropertyDescriptor(backend.TimeoutMap.prototype, 'size')!
    const maps = MAP_METHODS.map((name) => [name, backend.TimeoutMap.prototype[name]] as const)
    for (const [name, method] of [...wheels, ...maps, ['size', size!] as const])
      for (const other of others)
        for (const args of [[], [ignore, 5], [1, 5]]) {
          const error = thrownBy(() => Reflect.apply(method, other, args))
          expect([name, error]).toEqual([name, expect.any(TypeError)])
        }
    const message = 'wheel must be a TimerWheel of this entry of the package, got undefined'
    for (const [, method] of wheels)
      expectRefusal(() => Reflect.apply(method, undefined, [ignore, 5]), TYPE, message)
    const { prototype } = backend.TimerWheel
    for (const other of [...others.slice(1), prototype, Object.create(prototype)])
      expect(thrownBy(() => new backend.TimeoutMap({ wheel: other as never }))).toMatchObject({ code: TYPE })
    expect(wheel.pending).toBe(2)
  })

  it('a frozen handle moves no timer after it was cleared', () => {
    const wheel = manualWheel(backend)
    const frozen = Object.freeze(wheel.setTimeout(ignore, 5))
    wheel.clear()
    let ranAt = 0
    wheel.setTimeout(() => {
      ranAt = wheel.now
    }, 5)
    wheel.advance(4)
    const uses = [
      () => frozen.refresh(),
      () => frozen.refresh(9),
      () => Reflect.set(frozen, '_idleStart', 9, frozen),
    ]
    // A page's handle has no such field.
    for (const use of '_idleStart' in frozen ? uses : uses.slice(0, 2))
      expect(thrownBy(use)).toBeInstanceOf(TypeError)
    wheel.advance(10)
    expect(ranAt).toBe(5)
  })

  it.each(['clear', 'stop'] as const)('%s() takes all timers beside a frozen interval', (method) => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const run = (name: string): void => void ran.push(name)
    wheel.setTimeout(run, 5, 'before')
    Object.freeze(wheel.setInterval(ignore, 10))
    wheel.setTimeout(run, 15, 'after')
    wheel.schedule(run, 20, 'id')
    const signal = wheel.signal(25)
    wheel.group(run, 30).add('member')
    if (method === 'clear') {
      expect([wheel.clear(), wheel.pending, wheel.clear()]).toEqual([6, 0, 0])
      wheel.schedule(run, 5, 'later')
    } else {
      expect(wheel.stop().map(({ remaining }) => remaining)).toEqual([5, 10, 15, 20, 25, 30])
      expect([wheel.pending, wheel.stop()]).toEqual([0, []])
    }
    wheel.advance(100)
    expect([ran, signal.aborted, wheel.pending]).toEqual([method === 'clear' ? ['later'] : [], false, 0])
  })
})
