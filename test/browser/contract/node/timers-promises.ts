/** `node:timers/promises` as far as the specifications use it, by what a page has. */
const { port1, port2 } = new MessageChannel()
const waiting: (() => void)[] = []
port1.onmessage = () => waiting.shift()!()

/** A turn of the event loop, by a message: it is not clamped, as timers are. */
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
