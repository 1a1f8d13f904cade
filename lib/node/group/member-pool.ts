/**
 * The members of all groups of one wheel, in columns. A member is not an object: it is a number, made of its place and of a
 * serial number, which no other member at that place has. So a number that is out of date names nothing.
 *
 * A place is four words and an item. Places come in blocks, and a group takes them in spans of 8. Blocks have numbers from the
 * same supply as the ids of `schedule` (see `IdSpace`), so no two wheels have members with the same number.
 *
 *   word     of a member                                of a free place
 *   ORDER    order number of the last add or touch      -2 minus the next free place of the group
 *   SERIAL   odd                                        even
 *   ADDED    counts the members of the group            -
 *   OWNER    the group: its first place                 the same, or a former group
 */

export const ORDER = 0
export const SERIAL = 1
export const ADDED = 2
export const OWNER = 3

/** A place is the number of its block times 2^13, plus its index there. */
export const BLOCK_SHIFT = 13
const BLOCK_PLACES = 2 ** BLOCK_SHIFT
export const INDEX_MASK = BLOCK_PLACES - 1
/** A member's number is its serial number times this, plus its place. */
export const MEMBER_STEP = 2 ** 27
export const PLACE_MASK = MEMBER_STEP - 1
/** The places of a span. */
export const SPAN = 8
/** A place with this serial number is not used again, because its numbers are used up. */
export const LAST_SERIAL = 2 ** 26
/** Serial numbers are noted as used in groups of this size, as generations of ids are. */
export const NOTED_SERIALS = 2 ** 6
/** No place. Place 0 does not exist, because no block has the number 0. */
export const NO_PLACE = 0

/** The supply of numbers for blocks: the part of `IdSpace` that the pool uses. */
export interface BlockNumbers {
  /** Prepares a claim. @throws RangeError if no number is left */
  prepare(): { readonly number: number; readonly generation: number }
  /** Claims the number. Calls no other function of the pool. */
  commit(claim: { readonly number: number; readonly generation: number }, block: number): void
  /** Notes a serial number as used, and those up to the next call. */
  saw(serial: number): void
  giveBack(): void
}

const NO_WORDS = new Int32Array(0)

export class MemberPool {
  readonly numbers: BlockNumbers
  private readonly onLarge: () => void
  /** How often the members got other order numbers. */
  numberings = 0
  /** The words of each block, by its number; `NO_WORDS`: the block is not of this pool. */
  readonly words: Int32Array[] = []
  /** The items of each block, by its number. */
  readonly items: unknown[][] = []
  /** Spans that groups gave back, by their first place. */
  private readonly freeSpans: number[] = []
  private blocks = 0
  /** The first place of the last block that was never in a span, and the end of that block. */
  private fresh = 0
  private end = 0

  /** @param onLarge called before the pool takes more than one block */
  constructor(numbers: BlockNumbers, onLarge: () => void = () => {}) {
    this.numbers = numbers
    this.onLarge = onLarge
  }

  /** The memory of all places, in bytes. */
  get bytes(): number {
    return this.words.reduce(
      (sum, { byteLength }) => sum + (byteLength === 0 ? 0 : byteLength + 8 * BLOCK_PLACES),
      0,
    )
  }

  wordsAt(place: number): Int32Array {
    return this.words[place >>> BLOCK_SHIFT] ?? NO_WORDS
  }

  /** A word of a place; undefined if the place is not of this pool. */
  wordAt(place: number, word: number): number | undefined {
    return this.wordsAt(place)[((place & INDEX_MASK) << 2) | word]
  }

  itemAt(place: number): unknown {
    return this.items[place >>> BLOCK_SHIFT]![place & INDEX_MASK]
  }

  /**
   * Returns the place of a group's member; `NO_PLACE`: there is no such member. O(1).
   *
   * @param member any number
   * @param owner the first place of the group
   */
  find(member: number, owner: number): number {
    const place = member & PLACE_MASK
    const words = this.words[place >>> BLOCK_SHIFT]
    const i = (place & INDEX_MASK) << 2
    if (words === undefined || words[i | OWNER] !== owner) return NO_PLACE
    // A free place has an even serial number, and a member's number an odd one.
    return words[i | SERIAL]! * MEMBER_STEP + place === member ? place : NO_PLACE
  }

  /**
   * Prepares a span for a group and returns its first place. Nothing has changed until `takeSpan`.
   *
   * @throws RangeError if there is no number for another block
   */
  prepareSpan(): number {
    const { freeSpans } = this
    if (freeSpans.length > 0) return freeSpans[freeSpans.length - 1]!
    if (this.fresh === this.end) this.addBlock()
    return this.fresh
  }

  /** Makes a list of the usable places of a prepared span, for a group without free places. Returns the first. */
  linkSpan(span: number, owner: number): number {
    const words = this.wordsAt(span)
    let free = NO_PLACE
    for (let place = span + SPAN - 1; place >= span; place--) {
      const i = (place & INDEX_MASK) << 2
      words[i | OWNER] = owner
      words[i | ORDER] = -2 - free
      if (words[i | SERIAL]! < LAST_SERIAL) free = place
    }
    return free
  }

  /** Takes a prepared span. Calls nothing. */
  takeSpan(span: number): void {
    const { freeSpans } = this
    if (span === this.fresh) this.fresh += SPAN
    else freeSpans.length--
  }

  /** Takes the spans of a group back. The group has no members and no free places. */
  giveBackSpans(spans: number[]): void {
    const { freeSpans } = this
    while (spans.length > 0) {
      freeSpans[freeSpans.length] = spans[spans.length - 1]!
      spans.length--
    }
  }

  /** Forgets all blocks. No group has a member. */
  giveBack(): void {
    // First: another wheel can claim the numbers next, and must not have members with the same numbers.
    this.words.length = this.items.length = this.freeSpans.length = 0
    this.blocks = this.fresh = this.end = 0
    this.numbers.giveBack()
  }

  /** The places of all members of all groups. */
  taken(): number[] {
    const places: number[] = []
    this.words.forEach((words, number) => {
      for (let i = SERIAL; i < words.length; i += 4) {
        if ((words[i]! & 1) !== 0) places.push((number << BLOCK_SHIFT) + (i >> 2))
      }
    })
    return places
  }

  private addBlock(): void {
    const words = new Int32Array(4 * BLOCK_PLACES)
    // With its size, because an array that grows leaves its former copies to the garbage collector.
    const items = new Array<unknown>(BLOCK_PLACES)
    if (this.blocks > 0) this.onLarge()
    const claim = this.numbers.prepare()
    const { number, generation } = claim
    // Serial numbers go on from those that the last block with this number has used. They are even, so the places are free.
    for (let i = SERIAL; i < words.length; i += 4) words[i] = generation
    // Filled, because arrays with many holes are slow.
    while (this.words.length <= number) this.words.push(NO_WORDS)
    while (this.items.length <= number) this.items.push([])
    this.numbers.commit(claim, this.blocks)
    // Commit: no calls from here on.
    this.blocks++
    this.words[number] = words
    this.items[number] = items
    this.fresh = number << BLOCK_SHIFT
    this.end = this.fresh + BLOCK_PLACES
  }
}
