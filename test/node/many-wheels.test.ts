/** A program is warned, once, when it has 64 wheels that are neither stopped nor collected. */
import { ENTRIES } from './backends.js'
import { printsWith } from './prints.js'

for (const entry of ENTRIES) {
  const it = printsWith(
    ['--expose-gc'],
    {},
    `import { TimerWheel } from '${entry}'
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    process.removeAllListeners('warning')
    process.on('warning', ({ name, message }) => console.log(name + ': ' + message))
    process.on('exit', () => console.log('end'))`,
  )
  const WARNING = 'TimerWheelWarning: 64 wheels are live: stop() unused wheels, or share one'

  it(`
    # warns at the 64th, once: ${entry} -> 63 | ${WARNING} | end
    for (let round = 0; round < 3; round++) {
      const wheels = Array.from({ length: 63 }, () => new TimerWheel())
      await turn()
      if (round === 0) console.log(wheels.length)
      for (let i = 0; i < 7; i++) wheels.push(new TimerWheel())
      await turn()
      for (const wheel of wheels) wheel.stop()
    }
    # counts no wheels that were stopped, however often: ${entry} -> not yet | ${WARNING} | end
    const kept = Array.from({ length: 62 }, () => new TimerWheel())
    for (let i = 0; i < 200; i++) {
      const wheel = new TimerWheel(i % 2 === 0 ? { driver: 'manual' } : {})
      wheel.stop(); wheel.stop()
    }
    kept.push(new TimerWheel())
    await turn()
    console.log('not yet'); kept.push(new TimerWheel())
    # counts no wheels that were collected: ${entry} -> end
    for (let i = 0; i < 12; i++) {
      for (let n = 0; n < 10; n++) new TimerWheel()
      for (let n = 0; n < 4; n++) await turn().then(() => gc())
    }`)
}
