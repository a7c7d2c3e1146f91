// The mark that holds a database on a server: a row about the whole installation.
import type { Database } from '../database.ts'
import { type HoldMark, WAITING_FOR_RELEASE, type Waiting } from '../hold.ts'

/** Name of the row in `installation`; its value says since when and why, as JSON. */
export const HELD = 'held'

export function serverHold(db: Database): HoldMark {
  const find = db.prepare<[], string>(`SELECT value FROM installation WHERE name = '${HELD}'`).pluck()
  const remove = db.prepare(`DELETE FROM installation WHERE name = '${HELD}'`)
  const count = db.prepare<[], Waiting>(WAITING_FOR_RELEASE)
  return {
    isSet: async () => (await db.read(() => find.get())()) !== undefined,
    clear: async () => void (await db.write(() => remove.run())()),
    waiting: async () => (await db.read(() => count.get())()) ?? { deliveries: 0, runs: 0 },
  }
}
