/**
 * Faults that a person could write into lib. Each is one replacement of a text that occurs exactly once in its file.
 *
 * @type {import('./mutant.mjs').Mutant[]}
 */
export const libMutants = [
  // ---- the scheduler
  {
    name: 'cleared timer keeps its deadline',
    file: 'lib/scheduler.ts',
    find: '    words[record + DEADLINE] = NEVER\n',
    replace: '',
  },
  {
    name: 'shortened timer keeps the later wake-up',
    file: 'lib/scheduler.ts',
    find:
      '    words[record | ORDER_NUMBER] = order\n' +
      '    if (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - this.wake) | 0) < 0) {',
    replace:
      '    words[record | ORDER_NUMBER] = order\n' +
      '    if (filed === NONE || ((deadline - filed) | 0) < 0) {',
  },
  {
    name: 'refreshed timer keeps its place in the order',
    file: 'lib/scheduler.ts',
    find: '    words[record | ORDER_NUMBER] = order\n',
    replace: '    if (filed === NONE) words[record | ORDER_NUMBER] = order\n',
  },
  {
    name: 'submissions not taken when they are full',
    file: 'lib/scheduler.ts',
    find: '    if (submitted + 1 === SUBMISSIONS_CAPACITY) {',
    replace: '    if (submitted + 1 === 2 * SUBMISSIONS_CAPACITY) {',
  },
  {
    name: 'fresh record looks filed',
    file: 'lib/scheduler.ts',
    find: '    this.words[(unit << 2) + FILED] = NONE\n',
    replace: '',
  },
  {
    name: 'refreshed timer early by what passed since the clock was read',
    file: 'lib/scheduler.ts',
    find: 'if (handle?._order === order) handle._due = (handle._due + early) | 0',
    replace: 'if (handle?._order === order) handle._due = handle._due | 0',
  },
  {
    name: 'delay with a fraction early by what passed since the clock was read',
    file: 'lib/scheduler.ts',
    find: '    if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack\n',
    replace: '',
  },
  {
    name: 'timer cleared by an earlier callback runs',
    file: 'lib/scheduler.ts',
    find: 'if (deadline === NEVER || ((this.target - deadline) | 0) < 0) return false',
    replace: 'if (((this.target - deadline) | 0) < 0) return false',
  },
  {
    name: 'timer put off by an earlier callback runs',
    file: 'lib/scheduler.ts',
    find: 'if (deadline === NEVER || ((this.target - deadline) | 0) < 0) return false',
    replace: 'if (deadline === NEVER) return false',
  },
  {
    name: 'far deadline runs at the first stage',
    file: 'lib/scheduler.ts',
    find: 'if (due === undefined || Math.ceil(due) <= Math.floor(this.reals[NOW]!)) return true',
    replace: 'if (due === undefined || Math.ceil(due) !== 0) return true',
  },
  {
    name: 'what expires late is not put in order again',
    file: 'lib/scheduler.ts',
    find: '    if (isPast) this.sortExpirations()\n',
    replace: '',
  },
  {
    name: 'budget of time forgotten',
    file: 'lib/scheduler.ts',
    find: '          if (left <= 0) return true\n',
    replace: '',
  },
  {
    name: 'memory that grew is not looked at anew',
    file: 'lib/scheduler.ts',
    find: '    this.words = core.words\n    this.reals = core.reals\n    const blocks',
    replace: '    this.reals = core.reals\n    const blocks',
  },
  {
    name: 'stop returns timers of one tick in any order',
    file: 'lib/scheduler.ts',
    find: 'left.sort((a, b) => a.due - b.due || a.order - b.order)',
    replace: 'left.sort((a, b) => a.due - b.due)',
  },
  {
    name: 'timer that stands for a state',
    file: 'lib/scheduler.ts',
    find: 'if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0',
    replace: 'if (deadline < 0 && deadline > -1) deadline = 0',
  },
  {
    name: 'empty wheel not brought up to date',
    file: 'lib/scheduler.ts',
    find: 'if (this.reals[NOW]! - this.advanced > MAX_LAG && this.pending === 0) this.catchUp()',
    replace: '',
  },
  {
    name: 'id not used up when its timer ends',
    file: 'lib/scheduler.ts',
    find: 'const generation = words[(unit << 2) + GENERATION]! + 1',
    replace: 'const generation = words[(unit << 2) + GENERATION]!',
  },

  // ---- handles
  {
    name: 'interval counts from the end of its callback',
    file: 'lib/timeout.ts',
    find: 'const due = started + this._ms / scheduler.tick',
    replace: 'const due = scheduler.readClock() + this._ms / scheduler.tick',
  },
  {
    name: 'interval goes on after it was cleared in its callback',
    file: 'lib/timeout.ts',
    find: 'this._ms = unit === 0 ? CLEARED : DONE',
    replace: 'if (unit !== 0) this._ms = DONE',
  },
  {
    name: 'refresh sets a cleared timer again',
    file: 'lib/timeout.ts',
    find: 'if (this._ms < 0 || scheduler.stopped) return',
    replace: 'if (scheduler.stopped) return',
  },
  {
    name: 'refresh with a delay forgets what was postponed',
    file: 'lib/timeout.ts',
    find: '      this._order = NOT_POSTPONED\n      if (this._unit !== 0)',
    replace: '      if (this._unit !== 0)',
  },
  {
    name: 'timer set again loses its number',
    file: 'lib/timeout.ts',
    find: '      if (this._extra.id !== 0) known.set(this._extra.id, this)\n',
    replace: '',
  },
  {
    name: 'unref counted twice',
    file: 'lib/timeout.ts',
    find: '      if (this._referenced) {\n        this._referenced = false',
    replace: '      {\n        this._referenced = false',
    tests: ['test/node/loop-life'],
  },

  // ---- ids
  {
    name: 'released number starts with a generation that was used',
    file: 'lib/ids.ts',
    find: 'generation: this.highestGeneration + 1',
    replace: 'generation: this.highestGeneration',
  },
  {
    name: 'stale id taken for that of the timer now in its record',
    file: 'lib/scheduler.ts',
    find: 'this.words[(unit << 2) + DEADLINE] === NEVER || this.idOf(unit) !== id',
    replace: 'this.words[(unit << 2) + DEADLINE] === NEVER',
  },
  {
    name: 'records start with the first generation under a released number',
    file: 'lib/ids.ts',
    find: 'const generation = reused?.generation ?? 0',
    replace: 'const generation = 0',
  },

  // ---- drivers
  {
    name: 'host timer not set for an earlier deadline',
    file: 'lib/drivers/host.ts',
    find: 'if (this.#timer === undefined || due < this.#timerDue) {',
    replace: 'if (this.#timer === undefined) {',
  },
  {
    name: 'host timer taken for running after it has fired',
    file: 'lib/drivers/host.ts',
    find: '    this.#timer = undefined\n    this.#timerDue = Number.POSITIVE_INFINITY\n',
    replace: '',
  },
  {
    name: 'rest of a batch forgotten after a callback threw',
    file: 'lib/drivers/host.ts',
    find: '    let more = true\n',
    replace: '    let more = false\n',
  },
  {
    name: 'submissions not taken before the sleep',
    file: 'lib/drivers/host.ts',
    find: '    if (words[SUBMITTED] !== 0) this.core.takeSubmissions()\n',
    replace: '',
  },
  {
    name: 'epoch left open before the sleep',
    file: 'lib/drivers/host.ts',
    find: '    this.core.closeEpoch(this.#now())\n',
    replace: '',
  },
  {
    name: 'host timer keeps the process alive without a reference',
    file: 'lib/drivers/host.ts',
    find: '    else timer?.unref?.()\n',
    replace: '',
    tests: ['test/node/loop-life'],
  },
  {
    name: 'virtual time jumps to the end',
    file: 'lib/drivers/manual.ts',
    find: 'this.#now = Math.max(this.#now, next)',
    replace: 'this.#now = end',
  },
  {
    name: 'what a throw left behind waits for the next deadline',
    file: 'lib/drivers/manual.ts',
    find: '      if (this.#interrupted) this.#runDue()\n',
    replace: '',
  },
]
