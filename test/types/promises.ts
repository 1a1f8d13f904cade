/**
 * The functions are assignable to those of `node:timers/promises`, and the reverse. Only `npm run typecheck` checks
 * this file.
 */
import type * as native from 'node:timers/promises'
import type * as main from 'timeout-wheel'
import type * as ours from 'timeout-wheel/promises'

/** Compiles only if `A` is assignable to `B`. */
type Fits<A extends B, B> = A

type Name = 'setTimeout' | 'setImmediate' | 'setInterval' | 'scheduler'

export type Module = Fits<Pick<typeof ours, Name>, Pick<typeof native, Name>>
export type NativeModule = Fits<Pick<typeof native, Name>, Pick<typeof ours, Name>>
export type Exported = Fits<typeof main.promises, typeof ours>

export async function use(timers: typeof ours, signal: AbortSignal): Promise<unknown[]> {
  const nothing: Promise<void> = timers.setTimeout(10)
  const text: string = await timers.setTimeout(10, 'text', { signal, ref: false })
  const soon: number = await timers.setImmediate(1)
  for await (const value of timers.setInterval(10, 'tick' as const, { signal })) {
    const tick: 'tick' = value
    await timers.scheduler.wait(10, { signal })
    await timers.scheduler.yield()
    if (tick === text) break
  }
  // @ts-expect-error a delay is a number
  await timers.setTimeout('10')
  // @ts-expect-error there is no such option
  await timers.setTimeout(10, undefined, { signals: signal })
  return [nothing, soon]
}
