/** Tasks of a page that no throttling and no clamping strikes: messages of a channel to itself. */

/** How many listeners a channel has at first, and at most: one for each step of a task, the first and the last aside. */
const FEWEST = 64
const MOST = 1024

/** Does a part of the work. Returns whether there is more, and is called again after a throw. */
export type Step = () => boolean

export interface Steps {
  /** Runs the callback in a task to come, once the page has looked at other work. */
  readonly _soon: (callback: () => void) => void
  /**
   * Runs the step of a job in a task to come; while it returns true or throws, again: in the same task, from an empty stack
   * where the page can, so that the microtasks of the one have run before the next, until the budget is used up; then in
   * another task.
   */
  readonly _steps: (job: Job) => void
  /** Timers are nested, but for those that are set while {@link _isInTask}. */
  readonly _nests: boolean
  /** A task of these runs, or its microtasks. */
  readonly _isInTask: () => boolean
}

/** They may change at any time, and hold from the next step on. */
export interface Limits {
  /** Milliseconds that steps run in one go. 0: a single step. */
  _budget: number
}

export interface Job {
  readonly _step: Step
  readonly _limits: Limits
}

/** Node's ports, where a test environment shows itself as a browser, keep the process alive and warn of many listeners. */
type Port = MessagePort & { ref?(): void; unref?(): void; setMaxListeners?(most: number): void }

/**
 * A message reaches many listeners, one step each: after each of them, the stack is empty and the page runs its microtasks,
 * all in one task. A task that uses up all of them doubles them, as a message can cost as much as a hundred steps. `scheduler.postTask` offers nothing of the kind, and in Chromium hands on how deeply timers are nested.
 */
export function openSteps(Channel: typeof MessageChannel, now: () => number): Steps {
  const jobs: Job[] = []
  let job: Job
  let started = 0
  let isInTask = false
  let receiver: Port | undefined
  let sender: Port

  let listeners = 0

  function listen(port: Port, count: number): void {
    while (listeners < count) {
      const n = listeners++
      port.addEventListener('message', (event) => {
        if (!n) {
          job = jobs.shift()!
          started = now()
          isInTask = true
          if (!jobs.length) port.unref?.()
        }
        const isLast = n === listeners - 1
        const isOver = n && (isLast || now() - started >= job._limits._budget)
        if (isLast && n < MOST - 1) listen(port, 2 * listeners)
        // After a step that throws comes the next listener.
        if (isOver || !job._step()) {
          event.stopImmediatePropagation()
          isInTask = false
          // What has no budget is not called again, also where it has thrown.
          if (isOver && job._limits._budget) steps(job)
        }
      })
    }
  }

  function steps(added: Job): void {
    if (!receiver) {
      const { port1, port2 } = new Channel()
      const port: Port = port1
      port.setMaxListeners?.(0)
      listeners = 0
      listen(port, FEWEST)
      port.start()
      // Only a channel that is complete.
      receiver = port
      sender = port2
    }
    receiver.ref?.()
    sender.postMessage(0)
    // Together, or not at all: each message finds its job.
    jobs[jobs.length] = added
  }

  return {
    _steps: steps,
    _nests: true,
    _isInTask: () => isInTask,
    // It returns nothing: there is no more of it.
    _soon: (callback) => steps({ _step: callback as Step, _limits: { _budget: 0 } }),
  }
}

/** Steps where there are no channels: their microtasks run after all steps of a task. */
export function stepsBy(now: () => number, soon: Steps['_soon']): Steps {
  const steps: Steps['_steps'] = (job) => soon(() => runFor(job, now, steps))
  return { _soon: soon, _steps: steps, _nests: false, _isInTask: () => false }
}

/** Runs steps at once, one after the other; if more are left once the budget is used up, by `later`. */
export function runFor(job: Job, now: () => number, later: Steps['_steps']): void {
  const started = now()
  let more = true
  try {
    do more = job._step()
    while (more && now() - started < job._limits._budget)
  } finally {
    if (more) later(job)
  }
}
