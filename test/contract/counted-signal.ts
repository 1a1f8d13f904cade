/** Makes an AbortController whose signal counts its listeners. */
export function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const { addEventListener, removeEventListener } = signal
  Object.assign(signal, {
    addEventListener(type: string, listener: never, options: never) {
      listeners.add(listener)
      addEventListener.call(signal, type, listener, options)
    },
    removeEventListener(type: string, listener: never) {
      listeners.delete(listener)
      removeEventListener.call(signal, type, listener)
    },
  })
  return { controller, signal, listeners }
}
