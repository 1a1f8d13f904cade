/** The package runs under a Content-Security-Policy. */
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

it("keeps the timers of the page, and warns once, if it loads timeout-wheel/register without 'wasm-unsafe-eval'", async () => {
  const told = await pages.run(
    async () => {
      const { setTimeout: native } = globalThis
      const warnings = []
      console.warn = (text) => warnings.push(text)
      const { register, unregister } = await import('/dist/register-browser.mjs')
      const isKept = [register(), globalThis.setTimeout === native]
      await new Promise((resolve) => globalThis.setTimeout(resolve, 5))
      return { isKept, left: unregister(), warnings }
    },
    { headers: policy('') },
  )
  const start =
    'timeout-wheel/register leaves the timers of the page in place: timeout-wheel needs WebAssembly: '
  const warning = expect.stringMatching(new RegExp(`^${start}.*needs 'wasm-unsafe-eval' in script-src$`, 's'))
  expect(told).toEqual({ isKept: [false, true], left: [], warnings: [warning] })
})

/** Opens a page with wheels that ask for a worker, and tells how it went. */
const withWorker = (headers) =>
  pages.run(
    async ({ TimerWheel, emptied }) => {
      const warnings = []
      console.warn = (text) => warnings.push(text)
      const directives = new Set()
      const errors = []
      document.addEventListener('securitypolicyviolation', (event) =>
        directives.add(event.effectiveDirective),
      )
      globalThis.addEventListener('error', (event) => errors.push(event.message))
      const wheel = new TimerWheel({ driver: 'worker' })
      const ran = []
      for (let i = 0; i < 5; i++) wheel.setTimeout(() => ran.push(i), 100 * (i + 1))
      await emptied(wheel)
      wheel.stop()
      // It neither tries again nor warns again.
      new TimerWheel({ driver: 'worker' }).stop()
      const hasTrustedTypes = 'trustedTypes' in globalThis
      const startsWorker = globalThis.heard > 0
      return { ran, errors, startsWorker, directives: [...directives], warnings, hasTrustedTypes }
    },
    {
      headers,
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

const WARNING = "timeout-wheel: the driver 'worker' uses the timers of the page, which forbids workers"
const RAN = { ran: [0, 1, 2, 3, 4], errors: [] }

it.each([
  ["'none'", 'wakes by native timers, and warns once', false, ['worker-src']],
  ["'self'", 'wakes by native timers, and warns once', false, ['worker-src']],
  ['blob:', 'starts a worker', true, []],
  ['data:', 'wakes by native timers, and warns once', false, ['worker-src']],
])("with 'wasm-unsafe-eval' and worker-src %s, %s", async (workers, _, startsWorker, directives) => {
  const told = await withWorker(policy(" 'wasm-unsafe-eval'", workers))
  expect(told).toMatchObject({ ...RAN, startsWorker, directives, warnings: startsWorker ? [] : [WARNING] })
})

it.each([
  ['', 'starts a worker by a policy of its own', true],
  ['; trusted-types timeout-wheel', 'starts a worker by a policy of its own', true],
  ['; trusted-types another', 'wakes by native timers, and warns once', false],
])("with require-trusted-types-for 'script'%s, %s", async (names, _, isAllowed) => {
  const headers = { 'content-security-policy': `require-trusted-types-for 'script'${names}` }
  const { hasTrustedTypes, ...told } = await withWorker(headers)
  const startsWorker = isAllowed || !hasTrustedTypes
  expect(told).toMatchObject({ ...RAN, startsWorker, warnings: startsWorker ? [] : [WARNING] })
  if (startsWorker) expect(told.directives).toEqual([])
})
