/**
 * The members of all groups of one wheel, in columns. A member is not an object: it is a number, made of its place and of how
 * often the place was used before. So a number that is out of date names nothing.
 *
 * A place has an entry in each column. A touch of one of a million members reads memory that is in no cache, so it needs few
 * bytes: the entries of two columns, and a word that eight places share.
 *
 *   column   of a member                              of a free place
 *   orders   order number of the last add or touch    -2 minus the next free place of the group
 *   uses     odd: counts adds and removals            even
 *   added    counts the members of the group          -
 *   items    the item                                 undefined
 *
 * Groups take places in spans of 8. A word for each span names its owner, in the upper 24 bits, and its round. A round allows 2^16 uses
 * of each place. When all places of a span are used up, they start again in the next of 256 rounds.
 *
 * Places come in blocks. Blocks have numbers from the same supply as the ids of `schedule` (see `IdSpace`), so no two wheels
 * have members with the same number. The columns hold the blocks of this wheel one after the other.
 *
 *   number of a member = (round * 2^16 + uses - 1) / 2 * 2^27 + number of the block * 2^13 + place within the block
 *
 * The first factor is the generation of the number, as in an id. So an add and a remove, two uses, take one generation.
 */

export const BLOCK_SHIFT = 13
const BLOCK_PLACES = 2 ** BLOCK_SHIFT
export const INDEX_MASK = BLOCK_PLACES - 1
/** The bits of a member's number that name its place. */
const LOCATOR_MASK = 2 ** 27 - 1
/** A member's number grows by twice this each time its place is used. */
export const PER_USE = 2 ** 26
export const SPAN_SHIFT = 3
/** The places of a span. */
export const SPAN = 2 ** SPAN_SHIFT
const USES_BITS = 16
/** A round of a span has this many uses of each place. */
const ROUND_USES = 2 ** USES_BITS
/** The rounds of a span: the lower bits of its word. */
const ROUND_BITS = 8
const ROUND_MASK = 2 ** ROUND_BITS - 1
/** The uses of a place in all rounds. */
const USES = ROUND_USES << ROUND_BITS
/** A free place with this count of uses is set aside when a member would take it. */
export const USED_UP = ROUND_USES - 4
/** The count of uses of a place that waits for the next round of its span. */
const SET_ASIDE = ROUND_USES - 2
/** Uses are marked in groups of this size: twice `MARKED_GENERATIONS` of ../scheduler/id-space.ts. */
export const MARKED_USES = 2 ** 7
/** The columns grow by this part of their length, in whole blocks. */
const GROWTH = 1 / 4
/** No place. */
export const NO_PLACE = -1

/** The supply of numbers for blocks: the part of `IdSpace` that the pool uses. Its units are places of blocks from 1 on. */
interface BlockNumbers {
  /** The first unit of the block with each number; 0 or past the end: the block is of another wheel. */
  readonly firstUnits: Int32Array
  /** The bits of members' numbers that name the first place of each block. */
  readonly locators: number[]
  /** Prepares a claim of a number with a first generation below `limit`. @throws RangeError if none is left */
  prepare(limit: number): { readonly number: number; readonly generation: number }
  /** Claims the number. Calls no other function of the pool. */
  commit(claim: { readonly number: number; readonly generation: number }, block: number): void
  /** Marks a generation of a block as used, and those up to the next call. */
  saw(block: number, generation: number): void
  giveBack(): void
}

/** Columns of `places` places, in one buffer: parts of their own would be of sizes that C libraries do not give back. */
function columnsFor(places: number) {
  const spans = places / SPAN
  const start = 4 * spans
  const buffer = new ArrayBuffer(start + 10 * places)
  return {
    spans: new Int32Array(buffer, 0, spans),
    orders: new Int32Array(buffer, start, places),
    added: new Int32Array(buffer, start + 4 * places, places),
    uses: new Uint16Array(buffer, start + 8 * places, places),
  }
}

type Columns = ReturnType<typeof columnsFor>

export class MemberPool {
  readonly numbers: BlockNumbers
  /** How often the members got other order numbers. */
  numberings = 0
  declare orders: Int32Array
  declare uses: Uint16Array
  declare added: Int32Array
  /** The items of each block. */
  readonly items: unknown[][] = []
  /** The owner and the round of each span. */
  declare private spans: Int32Array
  /** Spans that groups gave back, by their first place. */
  private readonly freeSpans: number[] = []
  /** The first place that was never in a span, and the end of the blocks. */
  private fresh = 0
  private end = 0

  constructor(numbers: BlockNumbers) {
    this.numbers = numbers
    this.setColumns(columnsFor(0))
  }

  /** The memory of all places, in bytes. */
  get bytes(): number {
    return this.orders.buffer.byteLength + 8 * this.end
  }

  // ---- members ------------------------------------------------------------------------------------------------------

  /**
   * Returns the place of a group's member; `NO_PLACE`: there is no such member. O(1).
   *
   * @param member any number
   * @param owner marks the spans of the group: see `ownerFrom`
   */
  find(member: number, owner: number): number {
    const named = member & LOCATOR_MASK
    const unit = this.numbers.firstUnits[named >>> BLOCK_SHIFT]
    if (!unit) return NO_PLACE
    const place = unit + (named & INDEX_MASK) - BLOCK_PLACES
    // Of a place that does not exist, this is undefined, which counts as 0 below. Then the uses are 0 too, which is even.
    const span = this.spans[place >>> SPAN_SHIFT]!
    if ((span & ~ROUND_MASK) !== owner) return NO_PLACE
    // With an even number of uses, the sum is no number whose bits name this place.
    const uses = ((span & ROUND_MASK) << USES_BITS) | this.uses[place]!
    return (uses - 1) * PER_USE + named === member ? place : NO_PLACE
  }

  /** Whether a member of a group is at a place. */
  isMember(place: number, owner: number): boolean {
    return (this.spans[place >>> SPAN_SHIFT]! & ~ROUND_MASK) === owner && (this.uses[place]! & 1) !== 0
  }

  /** The number of a member. @param uses those of its place in this round */
  numberOf(place: number, uses: number): number {
    const locator = this.numbers.locators[(place >>> BLOCK_SHIFT) + 1]! + (place & INDEX_MASK)
    return (this.usesBefore(place) + uses - 1) * PER_USE + locator
  }

  /** Marks the next generation of a place. Called for every `MARKED_USES`th use. @param uses those in this round */
  markUses(place: number, uses: number): void {
    this.numbers.saw((place >>> BLOCK_SHIFT) + 1, (this.usesBefore(place) + uses) / 2)
  }

  /** The places of all members of all groups. */
  taken(): number[] {
    const places: number[] = []
    for (let place = 0; place < this.fresh; place++) if ((this.uses[place]! & 1) !== 0) places.push(place)
    return places
  }

  // ---- spans --------------------------------------------------------------------------------------------------------

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

  /** Returns what marks the spans of a group. Its lower bits are 0. @param span the first place of the first span */
  ownerFrom(span: number): number {
    return (span >>> SPAN_SHIFT) << ROUND_BITS
  }

  /** Makes a list of the places of a prepared span, for a group without free places. Returns the first. */
  linkSpan(span: number, owner: number): number {
    this.renew(span)
    this.spans[span >>> SPAN_SHIFT] = owner | (this.spans[span >>> SPAN_SHIFT]! & ROUND_MASK)
    let free = NO_PLACE
    for (let place = span + SPAN - 1; place >= span; place--) {
      this.orders[place] = -2 - free
      if (this.uses[place]! < SET_ASIDE) free = place
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

  // ---- places that were used often ----------------------------------------------------------------------------------

  /**
   * Sets the first free place of a group aside, because it is used up. Then returns the first free place of the group: the
   * next one, or one of this span if all places of the span were set aside and it starts another round.
   */
  setAside(place: number): number {
    const next = -2 - this.orders[place]!
    this.uses[place] = SET_ASIDE
    const span = place & -SPAN
    if (!this.renew(span)) return next
    // From the last to the first, so that after an interruption each link leads to a free place.
    this.orders[span + SPAN - 1] = -2 - next
    for (let one = span + SPAN - 2; one >= span; one--) this.orders[one] = -3 - one
    return span
  }

  /** Starts the next round of a span if all of its places were set aside. Returns whether it has started. */
  private renew(first: number): boolean {
    for (let place = first; place < first + SPAN; place++) if (this.uses[place] !== SET_ASIDE) return false
    const next = this.usesBefore(first) + ROUND_USES
    if (next === USES) return false
    this.numbers.saw((first >>> BLOCK_SHIFT) + 1, next / 2)
    this.spans[first >>> SPAN_SHIFT] = this.spans[first >>> SPAN_SHIFT]! + 1
    this.uses.fill(0, first, first + SPAN)
    return true
  }

  /** The uses of a place before this round. */
  private usesBefore(place: number): number {
    return (this.spans[place >>> SPAN_SHIFT]! & ROUND_MASK) << USES_BITS
  }

  // ---- blocks -------------------------------------------------------------------------------------------------------

  /** Forgets all blocks. No group has a member. */
  giveBack(): void {
    this.setColumns(columnsFor(0))
    this.fresh = this.end = this.items.length = this.freeSpans.length = 0
    this.numbers.giveBack()
  }

  private setColumns({ spans, orders, added, uses }: Columns): void {
    this.spans = spans
    this.orders = orders
    this.added = added
    this.uses = uses
  }

  private addBlock(): void {
    const { end, numbers } = this
    const block = end >>> BLOCK_SHIFT
    // A former `giveBack` can have been interrupted before it did this.
    if (block === 0) numbers.giveBack()
    if (end === this.orders.length)
      this.lengthen(end + BLOCK_PLACES * Math.max(1, Math.floor(block * GROWTH)))
    // With its size, because an array that grows leaves its former copies to the garbage collector.
    const items = new Array<unknown>(BLOCK_PLACES)
    const claim = numbers.prepare(USES / 2)
    const used = 2 * claim.generation
    const next = end + BLOCK_PLACES
    // Even, so the places are free.
    this.uses.fill(used & (ROUND_USES - 1), end, next)
    this.spans.fill(used >>> USES_BITS, end >>> SPAN_SHIFT, next >>> SPAN_SHIFT)
    numbers.commit(claim, block + 1)
    // Commit: no calls from here on.
    this.items[block] = items
    this.end = next
  }

  /** Copies the columns into longer ones. */
  private lengthen(places: number): void {
    const longer = columnsFor(places)
    longer.spans.set(this.spans)
    longer.orders.set(this.orders)
    longer.added.set(this.added)
    longer.uses.set(this.uses)
    this.setColumns(longer)
  }
}
