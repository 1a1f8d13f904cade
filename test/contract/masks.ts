/** Makes an object that stands for another one. */
export type Mask = <T extends object>(owner: T) => T

export const MASKS: [string, Mask][] = [
  ['an object that inherits from it', (owner) => Object.create(owner)],
  ['an object that inherits from one that does', (owner) => Object.create(Object.create(owner))],
  ['a proxy', (owner) => new Proxy(owner, {})],
  ['a proxy of an object that inherits from it', (owner) => new Proxy(Object.create(owner), {})],
]
