// A heap of times: finds the earliest without scanning all.
import type { Millis } from '../lib/clock.ts'

export function createTimeHeap<T>() {
  const entries: { at: Millis; value: T }[] = []

  function before(a: number, b: number): boolean {
    return (entries[a]?.at ?? Number.POSITIVE_INFINITY) < (entries[b]?.at ?? Number.POSITIVE_INFINITY)
  }
  function swap(a: number, b: number): void {
    const left = entries[a]
    const right = entries[b]
    if (!left || !right) return
    entries[a] = right
    entries[b] = left
  }

  return {
    push(at: Millis, value: T) {
      let index = entries.push({ at, value }) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (!before(index, parent)) break
        swap(index, parent)
        index = parent
      }
    },
    peek: () => entries[0] ?? null,
    pop() {
      const first = entries[0]
      const last = entries.pop()
      if (!first || !last || entries.length === 0) return first ?? null
      entries[0] = last
      let index = 0
      for (;;) {
        const left = index * 2 + 1
        const child = before(left + 1, left) ? left + 1 : left
        if (!before(child, index)) return first
        swap(child, index)
        index = child
      }
    },
    clear: () => {
      entries.length = 0
    },
    size: () => entries.length,
  }
}
