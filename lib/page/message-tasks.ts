/** Tasks that a page neither throttles nor clamps: messages that a channel sends to itself. */
import type { Limits } from '../wheel/wheel.js'

/** The number of a channel's listeners at first. Each runs one step of a task; the last one requests the next task instead. */
const FEWEST = 64
/** The largest number of listeners. */
const MOST = 1024

/** Does a part of the work. Returns whether more is left. After a throw it is called again. */
type Step = () => boolean

export interface Steps {
  /** Runs the callback in a later task, after the page has polled other work. */
  readonly _soon: (callback: () => void) => void
  /**
   * Runs the step of a job at once, and then again and again while it returns true or throws: in a later task until the
   * budget is used up, then in another task. If the page can do so, each step starts from an empty stack, after the
   * microtasks of the step before.
   */
  readonly _start: (job: Job) => void
  /** Whether timers are nested, except those that are set while {@link _isInTask}. */
  readonly _nests: () => boolean
  /** Whether such a task or its microtasks are running. */
  readonly _isInTask: () => boolean
}

export interface Job {
  readonly _step: Step
  /** A change applies from the next step on. */
  readonly _limits: Limits
}

/** In a test environment that imitates a browser, Node's ports keep the process alive and warn of many listeners. */
type Port = MessagePort & { ref?(): void; unref?(): void; setMaxListeners?(most: number): void }

/**
 * A message reaches many listeners, and each runs one step. After each listener the stack is empty and the page runs its
 * microtasks, all in one task. A task that uses all listeners doubles their number, because in WebKitGTK a message costs as
 * much as a hundred steps. `scheduler.postTask` has nothing similar, and in Chromium its tasks inherit the nesting level of timers.
 *
 * Some environments have no channels, or channels that throw, as edge routes of Next.js do. Only a try shows it. There, `soon`
 * makes the tasks, and microtasks run after all steps of a task.
 *
 * @param soon runs the callback in a later task
 */
export function openSteps(
  Channel: typeof MessageChannel | undefined,
  now: () => number,
  soon: (callback: () => void) => unknown,
): Steps {
  const jobs: Job[] = []
  let job: Job
  let started = 0
  let isInTask = false
  let receiver: Port | undefined
  let sender: Port

  let listeners = 0
  let hasChannels = !!Channel

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
        // If a step throws, the next listener runs.
        if (isOver || !job._step()) {
          event.stopImmediatePropagation()
          isInTask = false
          // A job without a budget does not run again, even if it has thrown.
          if (isOver && job._limits._budget) runLater(job)
          countOverrun(job, started)
        }
      })
    }
  }

  /** Runs the steps in a later task. */
  function runLater(added: Job): void {
    try {
      if (!receiver) {
        const channel = new Channel!()
        const port: Port = channel.port1
        port.setMaxListeners?.(0)
        listeners = 0
        listen(port, FEWEST)
        port.start()
        // Only when the channel is complete.
        sender = channel.port2
        receiver = port
      }
      receiver.ref?.()
      hasChannels = true
      sender.postMessage(0)
    } catch {
      hasChannels = false
      soon(() => runNow(added))
      return
    }
    // No call in between, so that each message finds its job.
    jobs[jobs.length] = added
  }

  /** Runs steps one after the other until the budget is used up, or a single one. */
  function runNow(job: Job, isSingle?: boolean): void {
    const started = now()
    let more = true
    try {
      do more = job._step()
      while (more && !isSingle && now() - started < job._limits._budget)
    } finally {
      if (more) runLater(job)
      countOverrun(job, started)
    }
  }

  function countOverrun({ _limits }: Job, started: number): void {
    if (now() - started >= 2 * _limits._budget) _limits._overruns++
  }

  return {
    _start: (job) => runNow(job, hasChannels),
    _nests: () => hasChannels,
    _isInTask: () => isInTask,
    // The callback returns undefined, so it runs once.
    _soon: (callback) => runLater({ _step: callback as Step, _limits: { _budget: 0, _overruns: 0 } }),
  }
}
