/** The package runs under a Content-Security-Policy. */
import { expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

// The image is the icon that WebKit requests.
const policy = (scripts, workers = "'self'") => ({
  'content-security-policy': `default-src 'none'; connect-src 'self'; img-src 'self'; worker-src ${workers}; script-src 'self'${scripts}`,
})

it("names the directive at the first use if the policy lacks 'wasm-unsafe-eval'", async () => {
  const errors = await pages.run(
    ({ TimerWheel, setTimeout, clearTimeout }) => {
      clearTimeout(undefined)
      return [() => setTimeout(() => {}, 5), () => new TimerWheel()].map((use) => {
        try {
          use()
        } catch ({ message }) {
          return message
        }
        return 'nothing was thrown'
      })
    },
    { headers: policy('') },
  )
  expect(errors).toEqual(Array(2).fill(expect.stringContaining("needs 'wasm-unsafe-eval' in script-src")))
})

it.each([
  ["'none'", 'wakes by native timers', false, ['worker-src']],
  ["'self'", 'wakes by native timers', false, ['worker-src']],
  ['blob:', 'starts a worker', true, []],
  ['data:', 'starts a worker', true, ['worker-src']],
])("with 'wasm-unsafe-eval' and worker-src %s, %s", async (workers, _, startsWorker, directives) => {
  const { ran, heard, violations, errors } = await pages.run(
    async ({ TimerWheel, emptied }) => {
      const violations = []
      const errors = []
      document.addEventListener('securitypolicyviolation', (event) =>
        violations.push(event.effectiveDirective),
      )
      globalThis.addEventListener('error', (event) => errors.push(event.message))
      const wheel = new TimerWheel({ driver: 'worker' })
      const ran = []
      for (let i = 0; i < 5; i++) wheel.setTimeout(() => ran.push(i), 100 * (i + 1))
      await emptied(wheel)
      return { ran, violations, errors, heard: globalThis.heard }
    },
    {
      headers: policy(" 'wasm-unsafe-eval'", workers),
      // Counts messages of workers. The package takes this class when it loads.
      before: `
        globalThis.heard = 0
        globalThis.Worker = class extends Worker {
          constructor(address) {
            super(address)
            this.addEventListener('message', () => heard++)
          }
        }
      `,
    },
  )
  expect({ ran, errors, startsWorker: heard > 0 }).toEqual({ ran: [0, 1, 2, 3, 4], errors: [], startsWorker })
  expect(new Set(violations)).toEqual(new Set(directives))
})
