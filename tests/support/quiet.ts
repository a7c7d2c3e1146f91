// Noise is failure: a test that triggers console.error or console.warn, or leaves an unhandled rejection, fails. A test
// that expects noise declares it: `expectNoise(/the port is taken/)`.
import { inspect } from 'node:util'
import { afterEach, beforeEach, vi } from 'vitest'

// Saved before any test can install fake timers.
const afterPromises = setImmediate
const heard: string[] = []
let expected: RegExp[] = []

/** Allows and requires a line that matches `pattern` in this test: without it the test fails too. */
export function expectNoise(pattern: RegExp): void {
  expected.push(pattern)
}

// Files share a process: one listener, for the running file.
const LISTENER = Symbol.for('fieldhook.tests.rejections')
const kept = globalThis as { [LISTENER]?: (reason: unknown) => void }
if (kept[LISTENER]) process.off('unhandledRejection', kept[LISTENER])
kept[LISTENER] = (reason) => {
  heard.push(`unhandled rejection: ${textOf(reason)}`)
}
process.on('unhandledRejection', kept[LISTENER])

beforeEach(() => {
  heard.length = 0
  expected = []
  for (const method of ['error', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      heard.push(`console.${method}: ${words.map(textOf).join(' ')}`)
    })
  }
})

afterEach(async () => {
  // A rejection only counts as unhandled once the queue of promises is empty.
  await new Promise((resolve) => afterPromises(resolve))
  vi.mocked(console.error).mockRestore?.()
  vi.mocked(console.warn).mockRestore?.()
  const unexpected = heard.filter((line) => !expected.some((pattern) => pattern.test(line)))
  const missing = expected.filter((pattern) => !heard.some((line) => pattern.test(line)))
  if (unexpected.length > 0) throw new Error(`This test was not quiet:\n${unexpected.join('\n')}`)
  if (missing.length > 0) throw new Error(`This test did not make the noise it announced: ${missing.join(', ')}`)
})

function textOf(word: unknown): string {
  return typeof word === 'string' ? word : inspect(word)
}
