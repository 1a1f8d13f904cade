/**
 * Methods need their object, and what programs do to handles affects no other timer. Frozen handles hold up neither `clear()` nor `stop()`.
 */
import { describe, expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { dispose, ignore, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

const CLEAR = Symbol.for('timeout-wheel.clear')

const HOSTILE: [string, (wheel: Wheel) => unknown][] = [
  ['a frozen handle', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10))],
  ['a frozen interval', (wheel) => Object.freeze(wheel.setInterval(ignore, 10))],
  ['a frozen handle without a reference', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10).unref())],
]

/** A proxy that shows its objects as proxies too, as the state of a component of Vue does. */
function reactive<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver)
      const isPlain = Object.prototype.toString.call(value) === '[object Object]'
      return isPlain ? reactive(value as object) : value
    },
  })
}

const WHEEL_METHODS = [
  'setTimeout',
  'setInterval',
  'schedule',
  'cancel',
  'reschedule',
  'clear',
  'stop',
  'stats',
] as const
const MAP_METHODS = [
  'get',
  'set',
  'has',
  'peek',
  'touch',
  'remaining',
  'delete',
  'clear',
  'forEach',
  'keys',
] as const

onEachBackend((backend) => {
  describe.each([[true], [false]])('a handle whose asyncContext is %s', (asyncContext) => {
    const newWheel = () => manualWheel(backend, { asyncContext })

    it('is needed by its methods', () => {
      const wheel = newWheel()
      let runs = 0
      const handle = wheel.setTimeout(() => runs++, 5)
      const prototype: Timeout = Object.getPrototypeOf(handle)
      const methods = ['ref', 'unref', 'hasRef', 'refresh', 'close', Symbol.toPrimitive, dispose] as const
      for (const other of [undefined, null, 5, 'text', {}, [], ignore, wheel, prototype]) {
        for (const method of methods) {
          // The brand of a prototype is that of its handles.
          if (other === prototype && method === 'hasRef') continue
          expect(thrownBy(() => Reflect.apply(prototype[method] as never, other, []))).toBeInstanceOf(
            TypeError,
          )
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

    it('is controlled by a proxy of it', () => {
      const wheel = newWheel()
      const ran: string[] = []
      const uses: ((proxy: Timeout) => unknown)[] = [
        (proxy) => wheel.clearTimeout(proxy),
        (proxy) => proxy.close(),
        (proxy) => wheel.clearTimeout(+proxy),
        (proxy) => wheel.clearTimeout(proxy.refresh(7).unref().ref()),
      ]
      // A page can also do the last through such a proxy.
      const few = uses.slice(0, 3)
      const kinds = [
        [(handle: Timeout) => new Proxy(handle, {}), uses],
        [reactive<Timeout>, few],
      ] as const
      for (const [proxyOf, used] of kinds) {
        for (const use of used) {
          const handles = [wheel.setTimeout(ignore, 5), wheel.setInterval(ignore, 5)]
          for (const handle of handles) use(proxyOf(handle))
          expect([use, wheel.pending]).toEqual([use, 0])
          for (const name of ['a', 'b']) wheel.setTimeout(() => ran.push(name), 5)
          for (const handle of handles)
            for (const timeout of [handle, proxyOf(handle)]) wheel.clearTimeout(timeout)
          wheel.advance(10)
          expect([use, ran.splice(0)]).toEqual([use, ['a', 'b']])
        }
      }
    })
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
          let outcome: unknown = 'it returned'
          try {
            Reflect.apply(method, other, args)
          } catch (error) {
            outcome = error
          }
          if (!(outcome instanceof TypeError)) expect([name, String(outcome)]).toBeNull()
        }
    for (const other of [
      ...others.slice(1),
      backend.TimerWheel.prototype,
      Object.create(backend.TimerWheel.prototype),
    ])
      expect(thrownBy(() => new backend.TimeoutMap({ wheel: other as never }))).toMatchObject({
        code: 'ERR_INVALID_ARG_TYPE',
      })
    expect(wheel.pending).toBe(2)
  })

  it('a wheel clears timers without `this`, as it clears those of any wheel', () => {
    const wheel = manualWheel(backend)
    const { clearTimeout, clearInterval } = wheel
    clearTimeout(wheel.setTimeout(() => {}, 5))
    clearInterval(wheel.setInterval(() => {}, 5))
    expect(wheel.pending).toBe(0)
  })

  it('a map shows nothing of itself in its properties', () => {
    const map = new backend.TimeoutMap().set('a', 1)
    expect([JSON.stringify(map), { ...map }, Object.keys(map)]).toEqual(['{}', {}, []])
    expect(map).toEqual(new backend.TimeoutMap().set('a', 1))
    expect(map).not.toEqual(new backend.TimeoutMap().set('a', 2))
  })

  describe.each(HOSTILE)('beside %s', (_, makeHostile) => {
    it.each(['clear', 'stop'] as const)('%s() takes all timers', (method) => {
      const wheel = manualWheel(backend)
      const ran: string[] = []
      const run = (name: string): void => void ran.push(name)
      wheel.setTimeout(run, 5, 'before')
      makeHostile(wheel)
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
})
