/** What other processes tell this one. */
import type { Claims } from './claims.js'
import type { Ends } from './ends.js'
import type { Lease } from './lease.js'

/** How long a start waits for news, and how old they may be, in milliseconds. */
const PATIENCE = 100
const AGE = 10

export class News {
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #ends: Ends
  /** The last reading for a start, and when it began. */
  #heard: Promise<void> | undefined
  #heardAt = 0

  constructor(lease: Lease, claims: Claims, ends: Ends) {
    this.#lease = lease
    this.#claims = claims
    this.#ends = ends
  }

  /** Reads the news. It does so in the background. */
  read(): void {
    this.#lease.background.run(() => this.#read())
  }

  async #read(): Promise<void> {
    const { owner, held, background } = this.#lease
    if (owner === 0 || background.isEnded) return
    const news = await this.#lease.ask('news', (owner) => ({ owner }))
    for (const handler of held.handlers.values()) {
      const isPaused = news.paused.includes(handler.name)
      if (handler.isPausedByAll === isPaused) continue
      handler.isPausedByAll = isPaused
      background.run(() => this.#ends.activate(handler))
    }
    for (const { name, id, due } of news.messages) {
      if (id !== '') held.lose(id)
      else if (name === '') this.#claims.sweep()
      else this.#claims.expect(name, due)
    }
    if (owner !== this.#lease.owner) return
    if (!news.isAlive) return this.#lease.lapse()
    this.#lease.others = news.others
  }

  /** Before a start: reads what others have replaced or cleared, unless that is known. Starts of all turns would cost a statement each. */
  async hear(): Promise<void> {
    const { clock, background } = this.#lease
    const now = clock.monotonic()
    if (this.#heard === undefined || now - this.#heardAt > AGE) {
      this.#heardAt = now
      // The database may be slow or locked: what is held starts all the same.
      const patience = new Promise<void>((resolve) => clock.after(PATIENCE, resolve))
      const news = this.#read().catch((error) => background.report(error))
      this.#heard = Promise.race([news, patience])
    }
    await this.#heard
  }
}
