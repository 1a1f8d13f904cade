import type { Backend } from './backends.js'

/** Makes an object that stands for another one. */
export type Mask = <T extends object>(owner: T) => T

export const MASKS: [string, Mask][] = [
  ['an object that inherits from it', (owner) => Object.create(owner)],
  ['an object that inherits from one that does', (owner) => Object.create(Object.create(owner))],
  ['a proxy', (owner) => new Proxy(owner, {})],
  ['a proxy of an object that inherits from it', (owner) => new Proxy(Object.create(owner), {})],
]

/** A backend whose wheels, groups and maps programs use through such objects. */
export function maskedBy(backend: Backend, maskOf: Mask): Backend {
  function TimerWheel(...args: []): object {
    const wheel = new backend.TimerWheel(...args)
    const { group } = wheel
    wheel.group = ((...args: never[]) => maskOf(Reflect.apply(group, wheel, args))) as never
    return maskOf(wheel)
  }
  function TimeoutMap(...args: []): object {
    return maskOf(new backend.TimeoutMap(...args))
  }
  return { ...backend, TimerWheel, TimeoutMap } as never
}
