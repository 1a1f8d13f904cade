/** The package runs under a Content-Security-Policy. */
import { expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

// The image is the icon that WebKit requests.
const policy = (scripts, workers = "'self'") => ({
  'content-security-policy': `default-src 'none'; connect-src 'self'; img-src 'self'; worker-src ${workers}; script-src 'self'${scripts}`,
})

it("runs under script-src with 'wasm-unsafe-eval'", async () => {
  const ran = await pages.run(({ setTimeout }) => new Promise((resolve) => setTimeout(resolve, 5, 'ran')), {
    headers: policy(" 'wasm-unsafe-eval'"),
  })
  expect(ran).toBe('ran')
})

it("names the directive at the first use if the policy lacks 'wasm-unsafe-eval'", async () => {
  const errors = await pages.run(
    ({ TimerWheel, setTimeout, clearTimeout }) => {
      clearTimeout(undefined)
      return [() => setTimeout(() => {}, 5), () => new TimerWheel()].map((use) => {
        try {
          use()
          return 'nothing was thrown'
        } catch ({ name, code, message }) {
          return { name, code, message }
        }
      })
    },
    { headers: policy('') },
  )
  expect(errors).toHaveLength(2)
  for (const error of errors) {
    expect(error).toMatchObject({ name: 'WasmBackendError', code: 'ERR_WASM_BACKEND' })
    expect(error.message).toContain("needs 'wasm-unsafe-eval' in script-src")
  }
})

it.each(["'none'", "'self'"])(
  'wakes by native timers if worker-src %s forbids the worker',
  async (workers) => {
    const { ran, violations, errors } = await pages.run(
      async ({ TimerWheel }) => {
        const violations = []
        const errors = []
        document.addEventListener('securitypolicyviolation', (event) =>
          violations.push(event.effectiveDirective),
        )
        globalThis.addEventListener('error', (event) => errors.push(event.message))
        const wheel = new TimerWheel({ driver: 'worker' })
        const ran = []
        for (let i = 0; i < 5; i++) wheel.setTimeout(() => ran.push(i), 20 * (i + 1))
        while (wheel.pending > 0) await new Promise((resolve) => setTimeout(resolve, 20))
        return { ran, violations, errors }
      },
      { headers: policy(" 'wasm-unsafe-eval'", workers) },
    )
    expect({ ran, errors }).toEqual({ ran: [0, 1, 2, 3, 4], errors: [] })
    expect(new Set(violations)).toEqual(new Set(['worker-src']))
  },
)

it.each(['blob:', 'data:'])('starts a worker if worker-src allows only %s', async (scheme) => {
  const { ran, started } = await pages.run(
    async ({ TimerWheel }) => {
      const wheel = new TimerWheel({ driver: 'worker' })
      let ran = 0
      for (let i = 0; i < 5; i++) wheel.setTimeout(() => ran++, 100 * (i + 1))
      while (wheel.pending > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      return { ran, started: globalThis.heard }
    },
    {
      headers: policy(" 'wasm-unsafe-eval'", scheme),
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
  expect(ran).toBe(5)
  expect(started).toBeGreaterThan(0)
})
