/** Each worker thread has its own event loop and wheels. */
import { ENTRIES } from './backends.js'
import { prints } from './prints.js'

for (const entry of ENTRIES) {
  const each = JSON.stringify({ early: 0, ran: 5_000, exitCode: 0 })
  prints(`runs timers in workers and on the main thread at once: ${entry}`, each, each, each, '1000')`
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    import { setTimeout } from '${entry}'
    const code = \`
      import { parentPort } from 'node:worker_threads'
      import { setTimeout, setInterval, TimerWheel } from '${entry}'
      const counts = { early: 0, ran: 0 }
      const wheel = new TimerWheel()
      for (let i = 0; i < 5_000; i++) {
        const due = performance.now() + i % 50
        wheel.schedule(() => { counts.ran++; if (performance.now() < due - 1e-6) counts.early++ }, i % 50)
      }
      const interval = setInterval(() => {
        if (wheel.pending > 0) return
        interval.close()
        setTimeout(() => parentPort.postMessage(counts), 5)
      }, 5)
    \`
    const results = Array.from({ length: 3 }, async () => {
      const worker = new Worker(code, { eval: true })
      const [[counts], [exitCode]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')])
      return { ...counts, exitCode }
    })
    let ran = 0
    for (let i = 0; i < 1_000; i++) setTimeout(() => ran++, i % 100)
    for (const result of results) console.log(JSON.stringify(await result))
    process.on('exit', () => console.log(ran))
  `
}
