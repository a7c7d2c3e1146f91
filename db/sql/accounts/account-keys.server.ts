// The only table of keys. Every opening of a secret reads it directly, so a removed key opens nothing any more, whichever
// process removed it.

import type { Millis } from '#app/lib/clock.ts'
import type { Database } from '../../database.ts'
import type {
  AccountKeyStore,
  KeyUse,
  SealedColumn,
  SecretRow,
  StoredAccountKey,
  StoredSecret,
} from '../../store/account-keys.ts'
import type { Connections } from '../connections.ts'

/** The primary key of a table, and a value before all of its rows. All tables have a column `account_uuid`. */
const BY_ACCOUNT = { key: 'account_uuid', start: '' }
const BY_ID = { key: 'id', start: 0 }

/** Where each secret is stored. */
const COLUMNS: Record<SealedColumn, { table: string; column: string; key: string; start: SecretRow }> = {
  access_token: { table: 'credential', column: 'access_token_sealed', ...BY_ACCOUNT },
  refresh_token: { table: 'credential', column: 'refresh_token_sealed', ...BY_ACCOUNT },
  subscription_token: { table: 'subscription', column: 'token_sealed', ...BY_ID },
  signing_secret: { table: 'endpoint', column: 'secret_sealed', ...BY_ID },
  previous_signing_secret: { table: 'endpoint', column: 'previous_secret_sealed', ...BY_ID },
  trigger_key: { table: 'automation', column: 'trigger_key_sealed', ...BY_ID },
}
const EVERY_COLUMN = Object.keys(COLUMNS) as SealedColumn[]

/** The audit action recorded when a key moves to the front of `ENC_KEYS`. */
const PUT_IN_FRONT = 'keys.put_in_front'

type Forgotten = (accountUuid: string) => void

type KeptKey = Omit<StoredAccountKey, 'accountUuid'>

const listeners = new WeakMap<Database, Forgotten[]>()

/**
 * The key table as the secret box needs it: see `Keyring` in app/adapters/secret-box.ts. `now` is called when a key is
 * created.
 */
export function accountKeyring({ db }: Pick<Connections, 'db'>, now: () => number) {
  const find = db.prepare<{ accountUuid: string }, KeptKey>(
    'SELECT sealed_with AS sealedWith, key_sealed AS keySealed FROM account_key WHERE account_uuid = @accountUuid',
  )
  const keep = db.prepare(
    `INSERT INTO account_key (account_uuid, sealed_with, key_sealed, created_at)
     VALUES (@accountUuid, @sealedWith, @keySealed, @createdAt)
     ON CONFLICT (account_uuid) DO NOTHING`,
  )
  return {
    find: db.read(function* (accountUuid: string) {
      return (yield* find.get({ accountUuid })) ?? null
    }),
    /** The first writer wins: returns the key that is stored. */
    keep: db.write(function* (accountUuid: string, { sealedWith, keySealed }: KeptKey) {
      yield* keep.run({ accountUuid, sealedWith, keySealed, createdAt: now() })
      return (yield* find.get({ accountUuid })) ?? null
    }),
    onForgotten(tell: Forgotten) {
      listeners.set(db, [...(listeners.get(db) ?? []), tell])
    },
  }
}

export function accountKeyStore({ db, housekeeping }: Pick<Connections, 'db' | 'housekeeping'>): AccountKeyStore {
  const forget = db.prepare('DELETE FROM account_key WHERE account_uuid = @accountUuid')
  const toRewrap = db.prepare<{ keyId: string; afterUuid: string; limit: number }, StoredAccountKey>(
    `SELECT account_uuid AS accountUuid, sealed_with AS sealedWith, key_sealed AS keySealed FROM account_key
     WHERE sealed_with <> @keyId AND account_uuid > @afterUuid ORDER BY account_uuid LIMIT @limit`,
  )
  const rewrap = db.prepare(
    `UPDATE account_key SET sealed_with = @sealedWith, key_sealed = @keySealed
     WHERE account_uuid = @accountUuid AND key_sealed = @before`,
  )
  const nobodys = 'FROM account_key WHERE created_at < @before AND account_uuid NOT IN (SELECT uuid FROM account)'
  const hasNobodys = db.prepare<{ before: number }>(`SELECT 1 ${nobodys} LIMIT 1`)
  const ofNobody = db.prepare<{ before: number }, string>(`DELETE ${nobodys} RETURNING account_uuid`).pluck()
  const statements = new Map(EVERY_COLUMN.map((name) => [name, columnStatements(db, name)]))
  const wrapped = db.prepare<[], { keyId: string; count: number }>(
    'SELECT sealed_with AS keyId, count(*) AS count FROM account_key GROUP BY sealed_with',
  )
  const inFront = db
    .prepare<[], string>(`SELECT target FROM audit_entry WHERE action = '${PUT_IN_FRONT}' ORDER BY id DESC LIMIT 1`)
    .pluck()
  const note = db.prepare(
    `INSERT INTO audit_entry (at, account_uuid, actor, staff_uuid, action, target, outcome, ip, detail)
     VALUES (@at, NULL, 'system', NULL, '${PUT_IN_FRONT}', @keyId, 'done', NULL, '{}')`,
  )

  const of = (column: SealedColumn) => {
    const found = statements.get(column)
    if (!found) throw new Error(`no sealed column ${column}`)
    return found
  }
  const tell = (accountUuid: string) => {
    for (const forgotten of listeners.get(db) ?? []) forgotten(accountUuid)
  }

  const remove = db.write(function* (accountUuid: string) {
    return (yield* forget.run({ accountUuid })).changes > 0
  })
  const findNobodys = db.read((before: number) => hasNobodys.get({ before }))
  const removeNobodys = db.write((before: number) => ofNobody.all({ before }))

  return {
    async forgetAccountKey(accountUuid) {
      const removed = await housekeeping.erase(() => remove(accountUuid))
      tell(accountUuid)
      return removed
    },
    accountKeysToRewrap: db.read((keyId, afterUuid, limit) => toRewrap.all({ keyId, afterUuid, limit })),
    replaceAccountKey: db.write(function* (accountUuid, { before, after: { sealedWith, keySealed } }) {
      return (yield* rewrap.run({ sealedWith, keySealed, accountUuid, before })).changes > 0
    }),
    async forgetKeysOfNobody(before) {
      if ((await findNobodys(before)) === undefined) return 0
      const gone = await housekeeping.erase(() => removeNobodys(before))
      for (const accountUuid of gone) tell(accountUuid)
      return gone.length
    },
    secretsToReseal: db.read((column, after, limit) =>
      of(column).find.all({ after: after ?? COLUMNS[column].start, limit }),
    ),
    replaceSecret: db.write(function* (accountUuid, { column, row, before, after }) {
      return (yield* of(column).replace.run({ after, row, accountUuid, before })).changes > 0
    }),
    keysInUse: db.snapshot(function* () {
      const uses = new Map<string, KeyUse>()
      const use = (keyId: string) => {
        const known = uses.get(keyId) ?? { keyId, accountKeys: 0, secrets: 0 }
        uses.set(keyId, known)
        return known
      }
      for (const { keyId, count } of yield* wrapped.all()) use(keyId).accountKeys += count
      for (const column of EVERY_COLUMN) {
        for (const { keyId, count } of yield* of(column).uses.all()) use(keyId).secrets += count
      }
      return [...uses.values()]
    }),
    noteFirstKey: db.write(function* (keyId, at) {
      if ((yield* inFront.get()) === keyId) return false
      yield* note.run({ at, keyId })
      return true
    }),
  }
}

/** What the account's lost key sealed: what others can make anew goes, and a person is asked for the rest. */
const LET_GO = [
  'DELETE FROM account_key WHERE account_uuid = @accountUuid',
  'DELETE FROM form_draft WHERE account_uuid = @accountUuid',
  `UPDATE credential SET state = 'reconnect', state_reason = NULL, access_token_sealed = @access,
     refresh_token_sealed = @refresh, generation = generation + 1, updated_at = @at WHERE account_uuid = @accountUuid`,
  "UPDATE subscription SET token_sealed = '' WHERE account_uuid = @accountUuid",
  // Events still come to the old address, whose hash we know, until there is a new one.
  `UPDATE subscription SET state = 'replaced', state_reason = 'its key was lost', ends_at = @endsAt, updated_at = @at
   WHERE account_uuid = @accountUuid AND state IN ('pending', 'active')`,
  'UPDATE automation SET trigger_key_hash = NULL, trigger_key_sealed = NULL WHERE account_uuid = @accountUuid',
  `INSERT INTO audit_entry (at, account_uuid, actor, staff_uuid, action, target, outcome, ip, detail)
   VALUES (@at, @accountUuid, 'system', NULL, 'keys.lost', @keyId, 'done', NULL, '{}')`,
]

interface LostAccount {
  accountUuid: string
  keyId: string
  /** Sealed anew, and empty. */
  access: string
  refresh: string
  at: Millis
  endsAt: Millis
}

/** For accounts whose key was sealed with a key of `ENC_KEYS` that nobody has any more. */
export function lostKeys({ db }: Pick<Connections, 'db'>) {
  const endpoints = db
    .prepare<{ accountUuid: string }, number>('SELECT id FROM endpoint WHERE account_uuid = @accountUuid')
    .pluck()
  const letGo = LET_GO.map((statement) => db.prepare<LostAccount>(statement))
  const sign = db.prepare(
    `UPDATE endpoint SET secret_sealed = @sealed, previous_secret_sealed = NULL, previous_secret_until = NULL
     WHERE id = @id AND account_uuid = @accountUuid`,
  )
  return {
    endpointsOf: db.read((accountUuid: string) => endpoints.all({ accountUuid })),
    letGo: db.write(function* (account: LostAccount, secrets: readonly { id: number; sealed: string }[]) {
      for (const statement of letGo) yield* statement.run(account)
      for (const secret of secrets) yield* sign.run({ ...secret, accountUuid: account.accountUuid })
    }),
  }
}

/** `.` and the next character, `/`, bound exactly the values that start with `v1.`. */
function columnStatements(db: Pick<Database, 'prepare'>, name: SealedColumn) {
  const { table, column, key } = COLUMNS[name]
  const direct = `${column} >= 'v1.' AND ${column} < 'v1/'`
  return {
    find: db.prepare<{ after: SecretRow; limit: number }, StoredSecret>(
      `SELECT account_uuid AS accountUuid, ${key} AS row, ${column} AS sealed FROM ${table}
       WHERE ${key} > @after AND ${direct} ORDER BY ${key} LIMIT @limit`,
    ),
    replace: db.prepare(
      `UPDATE ${table} SET ${column} = @after WHERE ${key} = @row AND account_uuid = @accountUuid AND ${column} = @before`,
    ),
    uses: db.prepare<[], { keyId: string; count: number }>(
      `SELECT substr(${column}, 4, instr(substr(${column}, 4) || '.', '.') - 1) AS keyId, count(*) AS count FROM ${table}
       WHERE ${direct} GROUP BY 1`,
    ),
  }
}
