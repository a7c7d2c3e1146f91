// What is true of the whole installation, whichever instance asks: one row for each fact.
import type { Database } from '../database.ts'

type PlatformKind = 'sandbox' | 'servicem8'

/** Returns the database's kind. Marks an unmarked one as `kind`. */
export function claimForPlatform(db: Database, kind: PlatformKind): Promise<PlatformKind> {
  const claim = db.prepare(
    `INSERT INTO installation (name, value) VALUES ('platform', @kind) ON CONFLICT (name) DO NOTHING`,
  )
  const find = db.prepare<[], PlatformKind>("SELECT value FROM installation WHERE name = 'platform'").pluck()
  return db.write(function* () {
    yield* claim.run({ kind })
    return (yield* find.get()) ?? kind
  })()
}
