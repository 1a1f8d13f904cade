/** Tasks of a page that no throttling and no clamping strikes: messages of a channel to itself. */
import type { Host, HostTimer } from '../host.js'

/** How many steps one task has at the most. */
const STEPS = 64
/** A task cannot be taken back, and keeps nothing alive. */
const TASK: HostTimer = {}

interface Job {
  readonly step: () => boolean
  readonly budget: number
}

/** Node's ports, where a test environment shows itself as a browser, keep the process alive and warn of many listeners. */
type Port = MessagePort & { ref?(): void; unref?(): void; setMaxListeners?(most: number): void }

/** See `Host`. */
export interface Steps {
  soon(callback: () => void): HostTimer
  steps: NonNullable<Host['steps']>
}

/**
 * A message reaches many listeners, one step each: after each of them, the stack is empty and the page runs its microtasks,
 * all in one task. `scheduler.postTask` offers nothing of the kind, and in Chromium hands on how deeply timers are nested.
 */
export function openSteps(Channel: typeof MessageChannel, now: () => number): Steps {
  const jobs: Job[] = []
  let job: Job
  let started = 0
  let receiver: Port | undefined
  let sender: Port

  function begin(): void {
    job = jobs.shift()!
    started = now()
    if (jobs.length === 0) receiver!.unref?.()
  }

  function step(event: Event, isLast: boolean): void {
    // Until it is known better: after one that throws comes the next.
    let more = true
    try {
      more = job.step()
    } finally {
      if (!more || isLast || now() - started >= job.budget) {
        event.stopImmediatePropagation()
        if (more) post(job)
      }
    }
  }

  function open(): void {
    const { port1, port2 } = new Channel()
    receiver = port1
    receiver.setMaxListeners?.(0)
    sender = port2
    for (let n = 1; n <= STEPS; n++) {
      port1.addEventListener('message', (event) => {
        if (n === 1) begin()
        step(event, n === STEPS)
      })
    }
    port1.start()
  }

  function post(next: Job): void {
    if (receiver === undefined) open()
    jobs.push(next)
    receiver!.ref?.()
    sender.postMessage(0)
  }

  return {
    soon(callback) {
      let isDone = false
      const step = (): boolean => {
        if (isDone) return false
        isDone = true
        callback()
        return false
      }
      post({ step, budget: 0 })
      return TASK
    },
    steps: (step, budget) => post({ step, budget }),
  }
}

/** Steps where there are no channels: their microtasks run after all steps of a task. */
export function stepsBy(now: () => number, soon: Host['soon']): NonNullable<Host['steps']> {
  const steps = (step: () => boolean, budget: number): void => {
    soon(() => {
      let more = true
      try {
        more = stepFor(budget, now, step)
      } finally {
        if (more) steps(step, budget)
      }
    })
  }
  return steps
}

/** Steps one after the other. Returns whether there are more. */
function stepFor(budget: number, now: () => number, step: () => boolean): boolean {
  const started = now()
  while (step()) if (now() - started >= budget) return true
  return false
}
