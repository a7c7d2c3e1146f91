/** One after the other, by key: what comes second begins when the first has ended, however it ended. */
export function createTurns(): { take<T>(key: string, work: () => Promise<T>): Promise<T> } {
  const last = new Map<string, Promise<unknown>>()
  return {
    async take(key, work) {
      const before = last.get(key)
      const mine = (before ?? Promise.resolve()).then(work, work)
      last.set(key, mine)
      try {
        return await mine
      } finally {
        if (last.get(key) === mine) last.delete(key)
      }
    },
  }
}
