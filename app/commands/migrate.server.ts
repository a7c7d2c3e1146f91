// `npm run migrate`: the schema's part of a deploy, before the new instances start.
import { resolve } from 'node:path'
import { plural } from '#app/domain/time/moments.ts'
import { migrateServer } from '#db/postgres/client.server.ts'

interface MigrateInput {
  say(line: string): void
  /** The process's environment. */
  source: Record<string, string | undefined>
}

/** Returns the exit code. Needs `DATABASE_URL` alone: a deploy's release command may have no other settings. */
export async function migrateSchema({ say, source }: MigrateInput): Promise<number> {
  const url = source.DATABASE_URL?.trim() ?? ''
  if (!/^postgres(ql)?:/.test(url)) {
    say('The database is a SQLite file: the start brings it up to date, after a copy. There is nothing to do here.')
    return 0
  }
  try {
    const count = await migrateServer(url, resolve('db/migrations-postgres'))
    say(count === 0 ? 'The schema is up to date.' : `The schema is up to date: ${plural(count, 'change')} made.`)
    return 0
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return 1
  }
}
