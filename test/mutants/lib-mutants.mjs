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
    find: 'if (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - this.wake) | 0) < 0) this',
    replace: 'if (filed === NONE || ((deadline - filed) | 0) < 0) this',
  },
  {
    name: 'refreshed timer keeps its place in the order',
    file: 'lib/scheduler.ts',
    find: '    words[record | ORDER_NUMBER] = order\n',
    replace: '    if (isNew) words[record | ORDER_NUMBER] = order\n',
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
    find: 'Math.max(Math.ceil(opened), Math.ceil(this.reals[CLOSED]!))',
    replace: 'Math.ceil(opened)',
  },
  {
    name: 'refresh at the begin of an epoch not noted',
    file: 'lib/scheduler.ts',
    find: '    this.lastPostponed = this.order\n    handle._order = this.order++',
    replace: '    handle._order = this.order++',
  },
  {
    name: 'epoch with one refresh not logged',
    file: 'lib/scheduler.ts',
    find: 'if (this.lastPostponed >= this.epoch) this.logEpoch(opened)',
    replace: 'if (this.lastPostponed > this.epoch) this.logEpoch(opened)',
  },
  {
    name: 'epochs never forgotten',
    file: 'lib/scheduler.ts',
    find: '    this.putOff()\n    this.forgetEpochs()\n',
    replace: '    this.putOff()\n',
  },
  {
    name: 'epochs forgotten while timers of theirs are submitted or being expired',
    file: 'lib/scheduler.ts',
    find: '    if (words[SUBMITTED] !== 0 || words[UNFINISHED] !== 0) return\n    // What',
    replace: '    // What',
  },
  {
    name: 'epochs forgotten before their timers have expired',
    file: 'lib/scheduler.ts',
    find: 'this.log.forget(now + Math.min(ahead, 0))',
    replace: 'this.log.forget(now)',
  },
  {
    name: 'what has expired not looked through for postponed timers',
    file: 'lib/scheduler.ts',
    find: '    this.putOff()\n',
    replace: '',
  },
  {
    name: 'open epoch not closed before its timers are put off',
    file: 'lib/scheduler.ts',
    find: '    if (this.lastPostponed >= this.epoch) this.openEpoch()\n',
    replace: '',
  },
  {
    name: 'postponed timer passes over the rest of a tick',
    file: 'lib/scheduler.ts',
    find: 'ahead > 0 || (ahead === 0 && words[(unit << 2) + ORDER_NUMBER]! > lastOrder)',
    replace: 'ahead > 0',
  },
  {
    name: 'postponed timer set behind the rest of its tick',
    file: 'lib/scheduler.ts',
    find: 'ahead > 0 || (ahead === 0 && words[(unit << 2) + ORDER_NUMBER]! > lastOrder)',
    replace: 'ahead >= 0',
  },
  {
    name: 'timer put off still among those that have expired',
    file: 'lib/scheduler.ts',
    find: '        words[EXPIRATIONS + i] = 0\n',
    replace: '',
  },
  {
    name: 'number begun anew leaves postponed timers as they were',
    file: 'lib/scheduler.ts',
    find: '      if (handle !== undefined) this.fileFor(unit, this.takePostponed(unit, handle))\n',
    replace: '',
  },
  {
    name: 'numbers begun anew leave the log',
    file: 'lib/scheduler.ts',
    find: '    this.log.clear()\n',
    replace: '',
  },
  {
    name: 'stop returns a refreshed timer by its former deadline',
    file: 'lib/scheduler.ts',
    find: 'const tick = handle === undefined ? deadline : this.postponedDeadline(handle)',
    replace: 'const tick = deadline',
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
    name: 'refresh with a delay keeps what was postponed',
    file: 'lib/timeout.ts',
    find: '        scheduler.arm(this._unit, this, this._ms)\n        this._order = this._firstOrder()\n',
    replace: '        scheduler.arm(this._unit, this, this._ms)\n',
  },
  {
    name: 'timer that has run can be postponed',
    file: 'lib/timeout.ts',
    find: '      this._unit = 0\n      this._order = NOT_POSTPONABLE\n      if',
    replace: '      this._unit = 0\n      if',
  },
  {
    name: 'timer set again loses its number',
    file: 'lib/timeout.ts',
    find: '      if (extra.id !== 0) known.set(extra.id, this)\n',
    replace: '',
  },
  {
    name: 'unref counted twice',
    file: 'lib/timeout.ts',
    find: '      if ((this._state & UNREFERENCED) === 0) {\n',
    replace: '      {\n',
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

  // ---- the log of epochs
  {
    name: 'tick of an epoch compared with the entry after the last',
    file: 'lib/epoch_log.ts',
    find: 'this.ticks[(this.end - 1) & mask] === tick',
    replace: 'this.ticks[this.end & mask] === tick',
  },
  {
    name: 'log appends an entry for the tick of the last',
    file: 'lib/epoch_log.ts',
    find: '    if (this.length > 0 && this.ticks[(this.end - 1) & mask] === tick) return\n',
    replace: '',
  },
  {
    name: 'log grows an entry too late',
    file: 'lib/epoch_log.ts',
    find: 'if (this.length === this.orders.length) this.grow()',
    replace: 'if (this.length > this.orders.length) this.grow()',
  },
  {
    name: 'log forgets an entry too many',
    file: 'lib/epoch_log.ts',
    find: 'this.ticks[(this.first + 1) & mask]! + DELAY_LIMIT < tick',
    replace: 'this.ticks[this.first & mask]! + DELAY_LIMIT <= tick',
  },
  {
    name: 'log forgets its last entry',
    file: 'lib/epoch_log.ts',
    find: 'while (this.length > 1 &&',
    replace: 'while (this.length > 0 &&',
  },
  {
    name: 'first operation of an epoch counted from the one before',
    file: 'lib/epoch_log.ts',
    find: 'if (orders[middle & mask]! <= order) low = middle',
    replace: 'if (orders[middle & mask]! < order) low = middle',
  },
  {
    name: 'first operation of an epoch counted from the one found before',
    file: 'lib/epoch_log.ts',
    find: 'order < orders[(guess + 1) & mask]!',
    replace: 'order <= orders[(guess + 1) & mask]!',
  },
  {
    name: 'place found before in the log taken for the upper end',
    file: 'lib/epoch_log.ts',
    find: 'if (guess + 1 < high && order < orders[(guess + 1) & mask]!) high = guess + 1',
    replace: 'high = guess + 1',
  },
  {
    name: 'log that grows does not begin with the oldest entry',
    file: 'lib/epoch_log.ts',
    find: 'this.orders[i - first] = orders[i & mask]!',
    replace: 'this.orders[i - first] = orders[i - first]!',
  },

  // ---- drivers
  {
    name: 'host timer not set for an earlier deadline',
    file: 'lib/drivers/host.ts',
    find: 'if (due >= this.#alarmDue) return',
    replace: 'if (this.#alarmDue !== Number.POSITIVE_INFINITY) return',
  },
  {
    name: 'host timer taken for running after it has fired',
    file: 'lib/drivers/host.ts',
    find: '  #wake(): void {\n    this.#alarmDue = Number.POSITIVE_INFINITY\n',
    replace: '  #wake(): void {\n',
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
    file: 'lib/drivers/alarm.ts',
    find: '    else this.#timer?.unref?.()\n',
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
  {
    name: 'timer of a long delay can be postponed',
    file: 'lib/scheduler.ts',
    find: '    if (ms > this.longestPostponed) forbidPostponing(occupant)\n',
    replace: '',
  },
]
