/** Chooses the implementation that runs: one of the two, or both in turns. */
import type { Implementation } from './cell-timers.js'

export type Choice = Implementation | 'turns'

/** Milliseconds of a turn. */
const TURN = 8000

export class Turns {
  current: Implementation = 'native'
  readonly #onChange: (implementation: Implementation) => void
  #timer: number | undefined

  constructor(onChange: (implementation: Implementation) => void) {
    this.#onChange = onChange
  }

  choose(choice: Choice): void {
    window.clearInterval(this.#timer)
    if (choice === 'turns') {
      this.#timer = window.setInterval(() => {
        if (!document.hidden) this.#use(this.current === 'native' ? 'wheel' : 'native')
      }, TURN)
    } else this.#use(choice)
  }

  #use(implementation: Implementation): void {
    if (implementation === this.current) return
    this.current = implementation
    this.#onChange(implementation)
  }
}
