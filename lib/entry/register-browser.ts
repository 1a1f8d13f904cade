/** `timeout-wheel/register` in a page or a worker: replaces its timers by those of `timeout-wheel` when it is loaded. */
import { patch, patchesOf, unpatch } from '../common/patch-globals.js'
import { clearInterval, clearTimeout, setInterval, setTimeout } from './browser.js'

type Set = (callback: never, ...rest: never[]) => unknown

/**
 * A page also takes code as a text, and runs anything else that is no function as such a text. Its own function does that. A page converts
 * every object to a delay.
 */
function asOfPage(name: 'setTimeout' | 'setInterval', ours: Set): Set {
  const host = globalThis[name] as Set
  const both = {
    [name](...all: unknown[]) {
      if (typeof all[1] === 'object') all[1] = (all[1] as unknown as number) * 1
      return (typeof all[0] === 'function' ? ours : host).apply(undefined, all as [never])
    },
  }
  return both[name] as Set
}

const patches = patchesOf(globalThis, 'globalThis', {
  setTimeout: asOfPage('setTimeout', setTimeout),
  clearTimeout,
  setInterval: asOfPage('setInterval', setInterval),
  clearInterval,
})

/**
 * Whether our timers call the functions that `globalThis` has at present. They do if a test tool faked these when our timers were
 * loaded. Then ours must not become functions of `globalThis`: they would call themselves.
 */
function followGlobals(): boolean {
  const { clearTimeout: former } = globalThis
  let isCalled = false
  const note = (): void => {
    isCalled = true
  }
  try {
    Reflect.set(globalThis, 'clearTimeout', note)
    // No timer has this number, so ours gives it to the function of the page.
    clearTimeout(-1)
  } finally {
    Reflect.set(globalThis, 'clearTimeout', former)
  }
  return isCalled
}

/** Returns why our timers cannot be those of the page; undefined: they can. */
function obstacle(): string | undefined {
  try {
    // `patch` knows other tools than Playwright.
    if ((globalThis.Date as { isFake?: boolean }).isFake || followGlobals()) return 'a test tool fakes them'
    // The first timer opens the wheel.
    clearTimeout(setTimeout(() => {}, 1))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

let hasWarned = false

function warn(message: string): void {
  if (!hasWarned) globalThis.console?.warn(message)
  hasWarned = true
}

export function register(): boolean {
  const reason = obstacle()
  if (reason === undefined) return patch(globalThis, patches, warn)
  warn(`timeout-wheel/register leaves the timers of the page in place: ${reason}`)
  return false
}

export function unregister(): string[] {
  return unpatch(globalThis)
}

register()
