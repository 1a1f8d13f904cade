/**
 * The wheels of a process, for a tool that shows them: `timeout-wheel top`. Only if the tool has put a set into `globalThis`
 * before, wheels enter themselves there. Otherwise nothing holds them.
 */

const KEY = Symbol.for('timeout-wheel.entered')

export function enter(viewOf: () => object): void {
  const entered: unknown = Reflect.get(globalThis, KEY)
  if (entered instanceof Set) entered.add(viewOf())
}
