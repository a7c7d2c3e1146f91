// What one test drew is gone before the next one draws: files share their process, so this cannot be left to a module that is
// loaded once.
import { act, cleanup } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'

// Kept before any test can put pretend timers in its place.
const afterPromises = setImmediate

// A file that works with React itself may leave this on, and every file after it in the process would be told off for its router.
beforeEach(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false }))

afterEach(async () => {
  // A test ends when it has seen what it asks about; the router may still have a word to say, and says it here.
  await act(() => new Promise<void>((done) => void afterPromises(done)))
  cleanup()
})
