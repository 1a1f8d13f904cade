/**
 * The functions are assignable to those of `node:timers/promises`, and the reverse. Only `npm run typecheck` checks
 * this file.
 */
import type * as native from 'node:timers/promises'
import type * as main from 'timeout-wheel'
import * as ours from 'timeout-wheel/promises'

/** Compiles only if `A` is assignable to `B`. */
type Fits<A extends B, B> = A

type Name = 'setTimeout' | 'setImmediate' | 'setInterval' | 'scheduler'

export type Module = Fits<Pick<typeof ours, Name>, Pick<typeof native, Name>>
export type NativeModule = Fits<Pick<typeof native, Name>, Pick<typeof ours, Name>>
export type Exported = Fits<typeof main.promises, typeof ours>

export async function use(signal: AbortSignal): Promise<void> {
  const nothing: Promise<void> = ours.setTimeout(10)
  const ticks: AsyncIterable<'tick'> = ours.setInterval(10, 'tick', { signal })
  // @ts-expect-error a delay is a number
  await ours.setTimeout('10')
  // @ts-expect-error there is no such option
  await ours.setTimeout(10, undefined, { signals: signal })
  void [nothing, ticks]
}
