/** Under a Content-Security-Policy. */
import { expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

const policy = (scripts) => ({
  'content-security-policy': `default-src 'none'; connect-src 'self'; script-src 'self'${scripts}`,
})

it("runs under script-src with 'wasm-unsafe-eval'", async () => {
  const ran = await pages.run(({ setTimeout }) => new Promise((resolve) => setTimeout(resolve, 5, 'ran')), {
    headers: policy(" 'wasm-unsafe-eval'"),
  })
  expect(ran).toBe('ran')
})

it("names the directive where the policy has no 'wasm-unsafe-eval', and at first use alone", async () => {
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
    expect(error.message).toContain("add 'wasm-unsafe-eval' to its script-src directive")
  }
})
