/** versions.test.ts compiles this program without a type AbortSignal. */
import { scheduler, setInterval as values, setTimeout as wait } from 'timeout-wheel/promises'

const signal = {
  aborted: false,
  addEventListener: (_type: 'abort', _listener: () => void) => {},
  removeEventListener: (_type: 'abort', _listener: () => void) => {},
}

export async function program(): Promise<string> {
  for await (const n of values(5, 7, { signal, ref: false })) if (n > 6) break
  await scheduler.wait(5, { signal })
  return wait(5, 'text', { signal })
}
