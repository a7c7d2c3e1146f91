// An account's limit settings, their change history and the names of muted customers: one JSON document per account.
// Read, changed and written within one transaction of the caller.
import type { Database } from '../../database.ts'
import type { GuardChange } from '../../store/run-guards.ts'

interface MuteNote {
  name: string
  by: string | null
}

interface GuardWrite {
  /** Given settings are replaced, the others stay. */
  guards?: object
  mute?: { key: string; note: MuteNote }
  change: { by: string | null; words: string } | null
}

/** Older ones are deleted. */
const MOST_CHANGES = 30

interface Document {
  choices: Record<string, unknown>
  changes: GuardChange[]
  mutes: Record<string, MuteNote>
}

export function guardNotes(db: Pick<Database, 'prepare'>) {
  // Runs before every customer message, so it leaves out the rest of the document.
  const choices = db
    .prepare<{ accountUuid: string }, string>(
      `SELECT json_remove(guards, '$.changes', '$.mutes') FROM automation_guard WHERE account_uuid = @accountUuid`,
    )
    .pluck()
  const find = db
    .prepare<{ accountUuid: string }, string>('SELECT guards FROM automation_guard WHERE account_uuid = @accountUuid')
    .pluck()
  const save = db.prepare(
    `INSERT INTO automation_guard (account_uuid, guards, updated_at) VALUES (@accountUuid, @guards, @at)
     ON CONFLICT (account_uuid) DO UPDATE SET guards = excluded.guards, updated_at = excluded.updated_at`,
  )
  const mutedKeys = db
    .prepare<{ accountUuid: string }, string>(
      `SELECT kind || ':' || record_uuid FROM mute WHERE account_uuid = @accountUuid`,
    )
    .pluck()

  function* read(accountUuid: string): Generator<unknown, Document> {
    const stored = JSON.parse((yield* find.get({ accountUuid })) ?? '{}') as Record<string, unknown> & Partial<Document>
    const { changes = [], mutes = {}, ...rest } = stored
    return { choices: rest, changes, mutes }
  }

  return {
    /** Only the settings, as stored; null = none saved. */
    *guards(accountUuid: string): Generator<unknown, unknown> {
      const stored = yield* choices.get({ accountUuid })
      return stored === undefined ? null : (JSON.parse(stored) as unknown)
    },
    /** Newest first. */
    *changes(accountUuid: string): Generator<unknown, GuardChange[]> {
      return (yield* read(accountUuid)).changes
    },
    /** By `kind:record`. */
    *mutes(accountUuid: string): Generator<unknown, Readonly<Record<string, MuteNote>>> {
      return (yield* read(accountUuid)).mutes
    },
    *write(accountUuid: string, at: number, { guards = {}, mute, change }: GuardWrite): Generator<unknown, void> {
      const before = yield* read(accountUuid)
      const changes = change ? [{ at, by: change.by, words: change.words }, ...before.changes] : before.changes
      // Drops the names of expired or removed mutes.
      const muted = new Set(yield* mutedKeys.all({ accountUuid }))
      const notes = { ...before.mutes }
      // Keeps the known name if the new mute has none.
      if (mute) notes[mute.key] = { ...mute.note, name: mute.note.name || (notes[mute.key]?.name ?? '') }
      const mutes = Object.fromEntries(Object.entries(notes).filter(([key]) => muted.has(key)))
      const document = { ...before.choices, ...guards, changes: changes.slice(0, MOST_CHANGES), mutes }
      yield* save.run({ accountUuid, guards: JSON.stringify(document), at })
    },
  }
}
