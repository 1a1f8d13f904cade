/** Fifty requests, each of which waits for timers of the shared wheel, and a wheel of its own. Prints what was answered. */
import { setTimeout, TimerWheel, withTimeout } from 'timeout-wheel'
import { setTimeout as wait } from 'timeout-wheel/promises'

async function respond(n) {
  await wait(1 + (n % 7))
  await new Promise((resolve) => setTimeout(resolve, n % 3))
  const wheel = new TimerWheel()
  await new Promise((resolve) => wheel.schedule(resolve, 2))
  wheel.stop()
  return withTimeout(new Promise(() => {}), 5).catch(({ name }) => name)
}

let answered = 0
for (let n = 0; n < 50; n++) {
  respond(n).then((answer) => {
    if (answer === 'TimeoutError' && ++answered === 50) print('answered 50')
  })
}
