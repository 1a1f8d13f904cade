/** The part of `node:timers/promises` that the specifications use, made from functions of a page. */
const { port1, port2 } = new MessageChannel()
const waiting: (() => void)[] = []
port1.onmessage = () => waiting.shift()!()

/** Waits a turn of the event loop by a message, which the page does not delay as it delays timers. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    port2.postMessage(undefined)
  })
}

export function setTimeout(delay: number): Promise<void> {
  return new Promise((resolve) => {
    globalThis.setTimeout(resolve, delay)
  })
}
