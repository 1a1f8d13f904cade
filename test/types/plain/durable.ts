/** versions.test.ts compiles this program with each TypeScript: durable timers. */
import { type DurableError, type DurableTimer, DurableTimers, postgres } from 'timeout-wheel/durable'

export const isClosed = ({ code }: DurableError): boolean => code === 'ERR_DURABLE_CLOSED'

export async function program(): Promise<number> {
  const timers: DurableTimers = await DurableTimers.open(':memory:', { clock: 'manual' })
  timers.on<string>('mail', ({ data, signal }) => {
    if (!signal.aborted) data.toUpperCase()
  })
  const { id }: DurableTimer = await timers.set('mail', { delay: 5, data: 'text' })
  for await (const { due } of timers.list()) due.getTime()
  await timers[Symbol.asyncDispose]()
  await DurableTimers.open(postgres({ query: async () => [] }))
  return id
}
