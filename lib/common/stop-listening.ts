/** Removes the listener of a timer that is over. The signal can be an object of the program: its error holds up no other timer. */
export function stopListening(signal: AbortSignal | undefined, abort: () => void): void {
  try {
    signal?.removeEventListener('abort', abort)
  } catch {
    // An abort finds that the timer is over.
  }
}
