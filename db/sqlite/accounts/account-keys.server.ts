// The only table of keys. Every opening of a secret reads it directly from the file, so a removed key opens nothing any
// more, whichever process removed it.
import type { AccountKeyStore, KeyUse, SealedColumn, StoredAccountKey, StoredSecret } from '../../store/account-keys.ts'
import type { Client } from '../client.server.ts'

/** Table and column of each secret. All tables have a rowid and a column `account_uuid`. */
const COLUMNS: Record<SealedColumn, { table: string; column: string }> = {
  access_token: { table: 'credential', column: 'access_token_sealed' },
  refresh_token: { table: 'credential', column: 'refresh_token_sealed' },
  subscription_token: { table: 'subscription', column: 'token_sealed' },
  signing_secret: { table: 'endpoint', column: 'secret_sealed' },
  previous_signing_secret: { table: 'endpoint', column: 'previous_secret_sealed' },
  trigger_key: { table: 'automation', column: 'trigger_key_sealed' },
}
const EVERY_COLUMN = Object.keys(COLUMNS) as SealedColumn[]

/** The audit action recorded when a key moves to the front of `ENC_KEYS`. */
const PUT_IN_FRONT = 'keys.put_in_front'

type Forgotten = (accountUuid: string) => void

type KeptKey = Omit<StoredAccountKey, 'accountUuid'>

/** The key table as the secret box needs it: see `Keyring` in app/adapters/secret-box.ts. */
interface AccountKeyring {
  find(accountUuid: string): Promise<KeptKey | null>
  /** The first writer wins: returns the key that is stored. */
  keep(accountUuid: string, key: KeptKey): Promise<KeptKey | null>
  onForgotten(tell: Forgotten): void
}

const listeners = new WeakMap<Client['sql'], Forgotten[]>()

/** `now` is called when a key is created. */
export function accountKeyring({ sql }: Pick<Client, 'sql'>, now: () => number): AccountKeyring {
  const find = sql.prepare<{ accountUuid: string }, KeptKey>(
    'SELECT sealed_with AS sealedWith, key_sealed AS keySealed FROM account_key WHERE account_uuid = @accountUuid',
  )
  const keep = sql.prepare(
    `INSERT INTO account_key (account_uuid, sealed_with, key_sealed, created_at)
     VALUES (@accountUuid, @sealedWith, @keySealed, @createdAt)
     ON CONFLICT (account_uuid) DO NOTHING`,
  )
  return {
    async find(accountUuid) {
      return find.get({ accountUuid }) ?? null
    },
    async keep(accountUuid, { sealedWith, keySealed }) {
      keep.run({ accountUuid, sealedWith, keySealed, createdAt: now() })
      return find.get({ accountUuid }) ?? null
    },
    onForgotten(tell) {
      listeners.set(sql, [...(listeners.get(sql) ?? []), tell])
    },
  }
}

export function accountKeyStore({ sql }: Pick<Client, 'sql'>): AccountKeyStore {
  const forget = sql.prepare('DELETE FROM account_key WHERE account_uuid = @accountUuid')
  const toRewrap = sql.prepare<{ keyId: string; afterUuid: string; limit: number }, StoredAccountKey>(
    `SELECT account_uuid AS accountUuid, sealed_with AS sealedWith, key_sealed AS keySealed FROM account_key
     WHERE sealed_with <> @keyId AND account_uuid > @afterUuid ORDER BY account_uuid LIMIT @limit`,
  )
  const rewrap = sql.prepare(
    `UPDATE account_key SET sealed_with = @sealedWith, key_sealed = @keySealed
     WHERE account_uuid = @accountUuid AND key_sealed = @before`,
  )
  const nobodys = 'FROM account_key WHERE created_at < @before AND account_uuid NOT IN (SELECT uuid FROM account)'
  const hasNobodys = sql.prepare<{ before: number }>(`SELECT 1 ${nobodys} LIMIT 1`)
  const ofNobody = sql.prepare<{ before: number }, string>(`DELETE ${nobodys} RETURNING account_uuid`).pluck()
  const statements = new Map(EVERY_COLUMN.map((name) => [name, columnStatements(sql, name)]))
  const wrapped = sql.prepare<[], { keyId: string; count: number }>(
    'SELECT sealed_with AS keyId, count(*) AS count FROM account_key GROUP BY sealed_with',
  )
  const inFront = sql
    .prepare<[], string>(`SELECT target FROM audit_entry WHERE action = '${PUT_IN_FRONT}' ORDER BY id DESC LIMIT 1`)
    .pluck()
  const note = sql.prepare(
    `INSERT INTO audit_entry (at, account_uuid, actor, staff_uuid, action, target, outcome, ip, detail)
     VALUES (@at, NULL, 'system', NULL, '${PUT_IN_FRONT}', @keyId, 'done', NULL, '{}')`,
  )

  const of = (column: SealedColumn) => {
    const found = statements.get(column)
    if (!found) throw new Error(`no sealed column ${column}`)
    return found
  }
  const tell = (accountUuid: string) => {
    for (const forgotten of listeners.get(sql) ?? []) forgotten(accountUuid)
  }

  /** A deleted row stays readable in the file's free space and in the WAL unless both are cleaned. */
  const erase = <T>(work: () => T): T => {
    sql.pragma('secure_delete = ON')
    try {
      return work()
    } finally {
      sql.pragma('secure_delete = OFF')
      // Does not wait for readers: the WAL is emptied every few minutes anyway.
      sql.pragma('busy_timeout = 0')
      sql.pragma('wal_checkpoint(TRUNCATE)')
      sql.pragma('busy_timeout = 5000')
    }
  }

  return {
    async forgetAccountKey(accountUuid) {
      const removed = erase(() => forget.run({ accountUuid }).changes > 0)
      tell(accountUuid)
      return removed
    },
    async accountKeysToRewrap(keyId, afterUuid, limit) {
      return toRewrap.all({ keyId, afterUuid, limit })
    },
    async replaceAccountKey(accountUuid, { before, after }) {
      return rewrap.run({ sealedWith: after.sealedWith, keySealed: after.keySealed, accountUuid, before }).changes > 0
    },
    async forgetKeysOfNobody(before) {
      const gone = hasNobodys.get({ before }) === undefined ? [] : erase(() => ofNobody.all({ before }))
      for (const accountUuid of gone) tell(accountUuid)
      return gone.length
    },
    async secretsToReseal(column, afterRow, limit) {
      return of(column).find.all({ afterRow, limit })
    },
    async replaceSecret(accountUuid, { column, row, before, after }) {
      return of(column).replace.run({ after, row, accountUuid, before }).changes > 0
    },
    async keysInUse() {
      const uses = new Map<string, KeyUse>()
      const use = (keyId: string) => {
        const known = uses.get(keyId) ?? { keyId, accountKeys: 0, secrets: 0 }
        uses.set(keyId, known)
        return known
      }
      for (const { keyId, count } of wrapped.all()) use(keyId).accountKeys += count
      for (const column of EVERY_COLUMN) {
        for (const { keyId, count } of of(column).uses.all()) use(keyId).secrets += count
      }
      return [...uses.values()]
    },
    async noteFirstKey(keyId, at) {
      if (inFront.get() === keyId) return false
      note.run({ at, keyId })
      return true
    },
  }
}

/** `.` and the next character, `/`, bound exactly the values that start with `v1.`. */
function columnStatements(sql: Client['sql'], name: SealedColumn) {
  const { table, column } = COLUMNS[name]
  const direct = `${column} >= 'v1.' AND ${column} < 'v1/'`
  return {
    find: sql.prepare<{ afterRow: number; limit: number }, StoredSecret>(
      `SELECT account_uuid AS accountUuid, rowid AS row, ${column} AS sealed FROM ${table}
       WHERE rowid > @afterRow AND ${direct} ORDER BY rowid LIMIT @limit`,
    ),
    replace: sql.prepare(
      `UPDATE ${table} SET ${column} = @after WHERE rowid = @row AND account_uuid = @accountUuid AND ${column} = @before`,
    ),
    uses: sql.prepare<[], { keyId: string; count: number }>(
      `SELECT substr(${column}, 4, instr(substr(${column}, 4), '.') - 1) AS keyId, count(*) AS count FROM ${table}
       WHERE ${direct} GROUP BY 1`,
    ),
  }
}
