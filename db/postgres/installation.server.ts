// What is true of the whole installation, whichever instance asks: one row for each fact.
import type { Database } from '../database.ts'

type PlatformKind = 'sandbox' | 'servicem8'

/** Name of the row that says which platform the data belongs to. */
export const PLATFORM = 'platform'

/** Returns the database's kind. Marks an unmarked one as `kind`. */
export function claimForPlatform(db: Database, kind: PlatformKind): Promise<PlatformKind> {
  const claim = db.prepare(
    `INSERT INTO installation (name, value) VALUES ('${PLATFORM}', @kind) ON CONFLICT (name) DO NOTHING`,
  )
  const find = db.prepare<[], PlatformKind>(`SELECT value FROM installation WHERE name = '${PLATFORM}'`).pluck()
  return db.write(function* () {
    yield* claim.run({ kind })
    return (yield* find.get()) ?? kind
  })()
}
