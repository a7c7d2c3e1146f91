// What one test drew is gone before the next one draws: files share their process, so this cannot be left to a module that is
// loaded once.
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

afterEach(cleanup)
