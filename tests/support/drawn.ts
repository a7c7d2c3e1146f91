// Unmounts one test's components before the next one renders. Files share their process, so a module that is loaded
// once cannot do it.
import { act, cleanup } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'

// As on the server: what a browser loads later is there from the start.
process.env.SSR = '1'

// Saved before any test can install fake timers.
const afterPromises = setImmediate

// A file that uses React directly may leave this on; then later files in the process get warnings about their router.
beforeEach(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false }))

afterEach(async () => {
  // A test ends when it has seen what it checks; pending router updates are flushed here.
  await act(() => new Promise<void>((done) => void afterPromises(done)))
  cleanup()
})
