/**
 * After a statement whose answer was lost, this process does not know which rows it owns: a claim may have given it some, a message about
 * a replaced timer may be gone. So this process tells the store which rows it holds. The store gives back all other rows that it owns, and
 * answers with those of the list that it does not own.
 * Nothing else may be under way meanwhile.
 */
import { outside } from '../common/context.js'
import { DurableError } from '../common/errors.js'

/** What certainly changed nothing. */
const CERTAIN = new Set<string>(['ERR_DURABLE_UNAVAILABLE', 'ERR_DURABLE_STORE', 'ERR_DURABLE_CLOSED'])

export class Doubt {
  readonly #settle: () => Promise<void>
  #isInDoubt = false
  #underWay = 0
  #settling: Promise<void> | undefined
  #whenIdle: (() => void) | undefined

  /** @param settle makes the rows that are held here and those that the store says are owned here the same */
  constructor(settle: () => Promise<void>) {
    this.#settle = settle
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#settling === undefined
  }

  /** Something was not given back. */
  raise(): void {
    this.#isInDoubt = true
  }

  /** Runs a statement, and what this process makes of its answer. @throws what either throws, or the error of the comparison before */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#isInDoubt) {
      this.#settling ??= outside(() => this.#end()).finally(() => {
        this.#settling = undefined
      })
      await this.#settling
    }
    this.#underWay++
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DurableError && CERTAIN.has(error.code))) this.#isInDoubt = true
      throw error
    } finally {
      this.#underWay--
      if (this.#underWay === 0) this.#whenIdle?.()
    }
  }

  async #end(): Promise<void> {
    if (this.#underWay > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    await this.#settle()
    this.#isInDoubt = false
  }
}
