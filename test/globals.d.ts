/** The globals of Jest. */
import type * as globals from '@jest/globals'

declare global {
  const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest }: typeof globals
}
